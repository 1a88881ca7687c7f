# SPDX-License-Identifier: Apache-2.0
"""Branch, a node and all below it for many agents, and BatchNode, that of a user's own node."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from deepsim_btree.errors import TickError
from deepsim_btree.leaves.function import AGENT
from deepsim_btree.status import Status

Codes = NDArray[np.uint8]
"""Statuses of agents, (n,)."""
Agents = NDArray[np.intp]
"""Numbers of different agents, (n,)."""
Mask = NDArray[np.bool_]
"""Which of some agents are chosen, (n,)."""

# As plain ints: numpy takes 2 us to look at a member of an enum.
INVALID, RUNNING, SUCCESS, FAILURE = (int(status) for status in list(Status)[:4])


@dataclass
class Shared:
    """The data that all branches of a batch share."""

    paths: dict[int, str]  # of the nodes, by their ids
    count: int  # of agents
    seed: int  # of agent number 0; agent number i has the seed + i
    tick_count: int = 0  # including the current tick
    now: float = math.nan  # time of the current tick [s]; NaN before the first one

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "paths": {}}  # ids mean nothing in a copy


class Branch:
    """A node and all below it for many agents; what differs between agents is in arrays.

    Args:
        node: The node in the user's tree, which has the settings.
        shared: The data of the batch.
        children: The branches below.
        rule: Ticks the children for some agents and returns their codes, a new array: the `update`
            of the node, without a Python loop over agents.
        is_stateless: Whether the rule itself keeps nothing that a halt must clear.
    """

    def __init__(
        self,
        node: Any,
        shared: Shared,
        children: list[Branch],
        rule: Callable[[Any, Any, Agents], Codes],
        is_stateless: bool = False,
    ) -> None:
        self.node = node
        self.path = shared.paths[id(node)]
        self.shared = shared
        self.children = children
        self.has_runs: bool = not is_stateless or any(child.has_runs for child in children)
        self._rule = rule
        self._run_states: dict[str, tuple[NDArray[Any], Any]] = {}
        self._states: dict[str, tuple[NDArray[Any], Any]] = {}

    @property
    def count(self) -> int:
        """Number of agents of the batch."""
        return self.shared.count

    @property
    def now(self) -> float:
        """Time of the current tick [s], the same for all agents; NaN without a clock."""
        return self.shared.now

    def state(self, name: str, initial: Any) -> NDArray[Any]:
        """Returns the array (count,) of this name, which only a reset sets to its initial value.

        Args:
            name: Any name.
            initial: The value of each agent before anything is written, a bool or a number.
        """
        if name not in self._states:
            self._states[name] = np.full(self.count, initial), initial
        return self._states[name][0]

    def run_state(self, name: str, initial: Any) -> NDArray[Any]:
        """Returns the array (count,) of this name, which a halt too sets to its initial value."""
        if name not in self._run_states:
            self._run_states[name] = np.full(self.count, initial), initial
        return self._run_states[name][0]

    def tick(self, agents: Agents) -> Codes:
        """Ticks the branch for one or more agents and returns their codes, a new array."""
        return self._rule(self.node, self, agents)

    def halt(self, agents: Agents) -> None:
        """Ends the runs of agents, including those of the nodes below."""
        for array, initial in self._run_states.values():
            array[agents] = initial
        for child in self.children:
            if child.has_runs:
                child.halt(agents)

    def reset(self, agents: Agents) -> None:
        """Returns agents to their initial state."""
        for array, initial in (*self._run_states.values(), *self._states.values()):
            array[agents] = initial
        for child in self.children:
            child.reset(agents)

    def tick_where(self, child: int, agents: Agents, mask: Mask, out: Codes) -> None:
        """Ticks a child for the agents in a mask, if any, and writes their answers to `out`."""
        rows = np.flatnonzero(mask)
        if rows.size:
            out[rows] = self.children[child].tick(agents[rows])

    def halt_where(self, child: int, agents: Agents, mask: Mask) -> None:
        """Halts a child for the agents in a mask."""
        if self.children[child].has_runs and mask.any():
            self.children[child].halt(agents[mask])

    def call(self, function: Callable[..., Any], agents: Agents, *args: Any, **kwargs: Any) -> Any:
        """Returns the result of a user's function, which gets the agents in place of AGENT.

        Raises:
            TickError: The function raised an exception.
        """
        agents.setflags(write=False)  # The nodes above still use this array.
        args = tuple(agents if value is AGENT else value for value in args)
        kwargs = {n: agents if value is AGENT else value for n, value in kwargs.items()}
        try:
            return function(*args, **kwargs)
        except TickError:
            raise
        except Exception as error:
            raise self.failed(f"{type(error).__name__}: {error}") from error

    def codes(self, value: Any, agents: Agents, source: str) -> Codes:
        """Returns the codes in a `Status` or an array of codes, (n,), as a new array.

        SKIPPED is none of them: no rule of a batch knows it.

        Raises:
            TickError: The value is another one.
        """
        if value.__class__ is Status and value is not Status.SKIPPED:
            return np.full(len(agents), value, np.uint8)
        codes = np.asarray(value)
        is_right = codes.shape == agents.shape and codes.dtype.kind in "iu"
        if not is_right or codes.min() < 0 or codes.max() > FAILURE:
            raise self.failed(
                f"{source} must return a Status or an array of {len(agents)} status codes, "
                f"got {value!r}"
            )
        return codes.astype(np.uint8)

    def failed(self, reason: str) -> TickError:
        """Returns an error that names the node."""
        return TickError(self.path, self.shared.tick_count, reason)


class BatchNode(Branch):
    """A user's node in a batch; its method `update_many` gets this object.

    ``update_many(self, many, agents)`` does for the given agents what `update` does for one: it
    ticks children with `tick_child`, halts those that it leaves RUNNING with `halt_child`, and
    returns a `Status` or an array of status codes, (n,). Attributes of ``self`` are settings, which
    all agents share; what differs between agents is in `status`, `child_status` and `state`.

    >>> import numpy as np
    >>> from deepsim_btree import AGENT, Action, Composite, Status
    >>> from deepsim_btree.batch import Batch
    >>> class Last(Composite):
    ...     def update(self):
    ...         return self.tick_child(self.children[-1])
    ...
    ...     def update_many(self, many, agents):
    ...         return many.tick_child(-1, agents)
    >>> batch = Batch(Last([Action(lambda agents: agents + 1, AGENT)]), count=3)
    >>> batch.tick()
    array([1, 2, 3], dtype=uint8)

    Attributes:
        status: The last answer of this node for each agent, (count,); INVALID before the first one
            and after a halt, as for `Behaviour.status`.
        child_status: The last answers of the children, (children, count).
    """

    def __init__(self, node: Any, shared: Shared, children: list[Branch]) -> None:
        super().__init__(node, shared, children, _update_many)
        self.status = self.state("status of the node", np.uint8(INVALID))
        self.child_status = np.full((len(children), shared.count), INVALID, np.uint8)

    def tick_child(self, position: int, agents: Agents) -> Codes:
        """Ticks a child for some agents, (n,), or for none, and returns their codes, (n,)."""
        if not len(agents):
            return np.empty(0, np.uint8)
        codes = self.children[position].tick(agents)
        self.child_status[position, agents] = codes
        return codes

    def halt_child(self, position: int, agents: Agents) -> None:
        """Halts a child for those of some agents for which it is RUNNING."""
        agents = agents[self.child_status[position, agents] == RUNNING]
        if agents.size:
            self.child_status[position, agents] = INVALID
            self.children[position].halt(agents)

    def halt(self, agents: Agents) -> None:
        super().halt(agents)
        for statuses in (self.status, *self.child_status):
            statuses[agents[statuses[agents] == RUNNING]] = INVALID

    def reset(self, agents: Agents) -> None:
        super().reset(agents)
        self.child_status[:, agents] = INVALID


def _update_many(node: Any, many: BatchNode, agents: Agents) -> Codes:
    codes = many.codes(many.call(node.update_many, agents, many, AGENT), agents, "update_many()")
    many.status[agents] = codes
    return codes
