# SPDX-License-Identifier: Apache-2.0
"""Rule, the base of what ticks a node for many agents, and the data that all rules share."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np
from numpy.typing import NDArray

from deepsim_btree.errors import TickError
from deepsim_btree.levels import all_paths
from deepsim_btree.status import Status

if TYPE_CHECKING:
    from deepsim_btree.behaviour import Behaviour

Codes = NDArray[np.uint8]
"""Statuses of agents, (n,)."""
Agents = NDArray[np.intp]
"""Numbers of different agents, (n,)."""

# As plain ints: numpy takes 2 us to look at a member of an enum.
INVALID, RUNNING, SUCCESS, FAILURE = (int(status) for status in list(Status)[:4])


class Shared:
    """The data that all rules of a batch share.

    Attributes:
        paths: Paths of the nodes, by their ids.
        count: Number of agents.
        seed: Agent number ``i`` has the seed ``seed + i``.
        tick_count: Number of ticks, including the current one.
        now: Time of the current tick [s]; NaN before the first one.
    """

    def __init__(self, root: Behaviour, count: int, seed: int) -> None:
        self.paths = all_paths(root)
        self.count = count
        self.seed = seed
        self.tick_count = 0
        self.now = math.nan

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "paths": {}}  # ids mean nothing in a copy


class Rule(ABC):
    """The rule of one node, applied to many agents; what differs between agents is in arrays.

    A rule has no Python loop over agents. It splits the agents by masks, ticks each child for the
    agents that need it, and returns one status code for each.

    Args:
        node: The node in the user's tree, which has the settings.
        shared: The data of the batch.
        children: The rules of the nodes below.
    """

    def __init__(self, node: Any, shared: Shared, children: Sequence[Rule]) -> None:
        self.node = node
        self.path = shared.paths[id(node)]
        self.shared = shared
        self.children = children
        self._run_states: list[tuple[NDArray[Any], Any]] = []
        self._lasting_states: list[tuple[NDArray[Any], Any]] = []
        self._halted = [child for child in children if child.has_runs]
        self.prepare()

    def prepare(self) -> None:  # noqa: B027 - many rules need nothing
        """Makes the arrays of the rule, and checks settings that not every batch can have."""

    @property
    def has_runs(self) -> bool:
        """Whether this node or one below keeps anything about runs that a halt must clear."""
        return bool(self._run_states or self._halted)

    @abstractmethod
    def tick(self, agents: Agents) -> Codes:
        """Ticks the branch for one or more agents and returns their statuses."""

    def halt(self, agents: Agents) -> None:
        """Ends the runs of agents, including those of the nodes below."""
        for array, initial in self._run_states:
            array[agents] = initial
        for child in self._halted:
            child.halt(agents)

    def reset(self, agents: Agents) -> None:
        """Returns agents to their initial state."""
        for array, initial in (*self._run_states, *self._lasting_states):
            array[agents] = initial
        for child in self.children:
            child.reset(agents)

    def run_state(self, initial: Any, dtype: type) -> NDArray[Any]:
        """Returns a new array (count,) that a halt sets to its initial value."""
        array: NDArray[Any] = np.full(self.shared.count, initial, dtype)
        self._run_states.append((array, initial))
        return array

    def lasting_state(self, initial: Any, dtype: type) -> NDArray[Any]:
        """Returns a new array (count,) that only a reset sets to its initial value."""
        array: NDArray[Any] = np.full(self.shared.count, initial, dtype)
        self._lasting_states.append((array, initial))
        return array

    def failed(self, reason: str) -> TickError:
        """Returns an error that names the node."""
        return TickError(self.path, self.shared.tick_count, reason)

    def tick_where(self, child: int, agents: Agents, mask: NDArray[np.bool_], out: Codes) -> None:
        """Ticks a child for the agents in a mask, if any, and writes their answers to `out`."""
        rows = np.flatnonzero(mask)
        if rows.size:
            out[rows] = self.children[child].tick(agents[rows])

    def halt_where(self, child: int, agents: Agents, mask: NDArray[np.bool_]) -> None:
        """Halts a child for the agents in a mask."""
        if self.children[child].has_runs and mask.any():
            self.children[child].halt(agents[mask])
