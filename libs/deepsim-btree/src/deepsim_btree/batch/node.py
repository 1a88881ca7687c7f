# SPDX-License-Identifier: Apache-2.0
"""The base of nodes that are ticked for many agents in one call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Tuple

import numpy as np
from numpy.typing import NDArray

from deepsim_btree.rules.flow import CHECKED
from deepsim_btree.status import Status

# As plain ints: numpy takes 2 us to look at a member of an enum.
INVALID, RUNNING, SUCCESS, FAILURE = (int(status) for status in list(Status)[:4])

if TYPE_CHECKING:
    from deepsim_btree.behaviour import Behaviour

    from .team import Team

Codes = NDArray[np.uint8]
"""Statuses of agents, (n,)."""
Numbers = NDArray[np.intp]
"""Which agents, (n,): no number comes twice."""
State = Tuple["NDArray[Any]", Any]
"""What all agents remember, (count, ...), and what it starts from."""


class Node(ABC):
    """Ticks a branch for any of the agents; their state is in arrays.

    Args:
        node: The node of the tree that was given.
        team: The agents.
    """

    answers = CHECKED
    """The statuses that the node may answer."""

    def __init__(self, node: Behaviour, team: Team) -> None:
        self.path = team.paths[id(node)]
        self.team = team
        self.children = [team.make(child) for child in node.children]
        self.run_states: list[State] = [s for c in self.children for s in c.run_states]
        self.lasting_states: list[State] = [s for c in self.children for s in c.lasting_states]

    @abstractmethod
    def tick(self, numbers: Numbers) -> Codes:
        """Ticks the branch for agents, at least one, and returns their statuses."""

    def halt(self, numbers: Numbers) -> None:
        """Sets back the runs of agents."""
        for array, initial in self.run_states:
            array[numbers] = initial

    def reset(self, numbers: Numbers) -> None:
        """Sets back all that agents remember but the streams of random numbers."""
        self.halt(numbers)
        for array, initial in self.lasting_states:
            array[numbers] = initial

    def run_state(self, initial: Any, dtype: type, *width: int) -> NDArray[Any]:
        """Returns an array that is set back when the branch is halted."""
        array: NDArray[Any] = np.full((self.team.count, *width), initial, dtype)
        self.run_states.append((array, initial))
        return array

    def lasting_state(self, initial: Any, dtype: type, *width: int) -> NDArray[Any]:
        """Returns an array that survives halts."""
        array: NDArray[Any] = np.full((self.team.count, *width), initial, dtype)
        self.lasting_states.append((array, initial))
        return array

    def tick_chosen(self, numbers: Numbers, chosen: NDArray[np.intp]) -> Codes:
        """Ticks for each agent the child at the position that is `chosen` for it.

        Where the child does not exist, the answer is FAILURE.
        """
        answers = np.full(len(numbers), FAILURE, np.uint8)
        for position, child in enumerate(self.children):
            rows = np.flatnonzero(chosen == position)
            if rows.size:
                answers[rows] = child.tick(numbers[rows])
        return answers

    def halt_chosen(self, numbers: Numbers, chosen: NDArray[np.intp]) -> None:
        """Halts for each agent the child at the position that is `chosen` for it."""
        for position, child in enumerate(self.children):
            if child.run_states:
                child.halt(numbers[chosen == position])

    def halt_running(self, statuses: NDArray[np.uint8], numbers: Numbers, child: int) -> None:
        """Halts a child for those agents for which its status, which is kept, is RUNNING."""
        numbers = numbers[statuses[numbers, child] == RUNNING]
        if numbers.size:
            statuses[numbers, child] = INVALID
            self.children[child].halt(numbers)
