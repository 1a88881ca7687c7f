# SPDX-License-Identifier: Apache-2.0
"""Users' own nodes in a batch, which join it by a method `update_many`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from deepsim_btree.errors import TickError
from deepsim_btree.status import SKIPPED

from .leaves import status_codes
from .rule import INVALID, RUNNING, Rule

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .rule import Agents, Codes


class BatchNode(Rule):
    """A user's node in a batch; its method `update_many` gets this object.

    ``update_many(self, many, agents)`` does for the given agents what `update` does for one: it
    ticks children with `tick_child`, halts those that it leaves RUNNING with `halt_child`, and
    returns a `Status` or an array of status codes, (n,). Attributes of ``self`` are settings, which
    all agents share; what differs between agents is in `status`, `child_status` and `state`.

    >>> import numpy as np
    >>> from deepsim_btree import AGENT, Action, Composite, Status
    >>> class Alternate(Composite):  # ticks one child in each run, in turn
    ...     def __init__(self, children):
    ...         super().__init__(children)
    ...         self.turn = -1
    ...
    ...     def update(self):
    ...         if self.status is not Status.RUNNING:
    ...             self.turn = (self.turn + 1) % len(self.children)
    ...         return self.tick_child(self.children[self.turn])
    ...
    ...     def update_many(self, many, agents):
    ...         turn = many.state("turn", -1)
    ...         begins = agents[many.status[agents] != Status.RUNNING]
    ...         turn[begins] = (turn[begins] + 1) % len(self.children)
    ...         codes = np.empty(len(agents), np.uint8)
    ...         for position in range(len(self.children)):
    ...             here = turn[agents] == position
    ...             codes[here] = many.tick_child(position, agents[here])
    ...         return codes
    >>> from deepsim_btree.batch import Batch
    >>> def drive(agents):
    ...     return np.where(agents == 0, Status.SUCCESS, Status.RUNNING)
    >>> batch = Batch(Alternate([Action(drive, AGENT), Action(lambda: Status.FAILURE)]), count=2)
    >>> batch.tick(), batch.tick()
    (array([2, 1], dtype=uint8), array([3, 1], dtype=uint8))

    Attributes:
        status: The last answer of this node for each agent, (count,); INVALID before the first one
            and after a halt, as for `Behaviour.status`.
        child_status: The last answers of the children, (children, count).
    """

    def prepare(self) -> None:
        """Makes the arrays of the rule."""
        self._states: dict[str, NDArray[Any]] = {}
        self.status = self.lasting_state(INVALID, np.uint8)
        self.child_status = np.full((len(self.children), self.shared.count), INVALID, np.uint8)

    @property
    def has_runs(self) -> bool:
        """Always true, because of `status`."""
        return True

    @property
    def count(self) -> int:
        """Number of agents of the batch."""
        return self.shared.count

    @property
    def now(self) -> float:
        """Time of the current tick [s], the same for all agents; NaN without a clock."""
        return self.shared.now

    def state(self, name: str, initial: Any) -> NDArray[Any]:
        """Returns the array (count,) with this name, which a user writes and which a reset resets.

        Args:
            name: Any name.
            initial: The value of each agent before anything is written, a bool, int or float.
        """
        if name not in self._states:
            self._states[name] = self.lasting_state(initial, np.asarray(initial).dtype.type)
        return self._states[name]

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

    def tick(self, agents: Agents) -> Codes:
        """Calls `update_many`."""
        agents.setflags(write=False)  # The nodes above still use this array.
        try:
            value = self.node.update_many(self, agents)
        except TickError:
            raise
        except Exception as error:
            raise self.failed(f"{type(error).__name__}: {error}") from error
        codes = status_codes(value, len(agents))
        if codes is None:
            raise self.failed(
                f"update_many() must return a Status or an array of {len(agents)} status codes "
                f"other than {SKIPPED.name}, got {value!r}"
            )
        self.status[agents] = codes
        return codes

    def halt(self, agents: Agents) -> None:
        """Halts the children and this node for those of the agents for which they are RUNNING."""
        for position in range(len(self.children)):
            self.halt_child(position, agents)
        self.status[agents[self.status[agents] == RUNNING]] = INVALID

    def reset(self, agents: Agents) -> None:
        """Returns agents to their initial state."""
        super().reset(agents)
        self.child_status[:, agents] = INVALID
