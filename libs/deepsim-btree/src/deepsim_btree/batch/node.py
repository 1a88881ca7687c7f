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
"""Numbers of different agents, (n,)."""
State = Tuple["NDArray[Any]", Any]
"""State of all agents, (count, ...), and its initial value."""


class Node(ABC):
    """The base of nodes that tick a branch for many agents, with their state in arrays.

    Args:
        node: The node in the user's tree.
        team: The agents.
        children: The nodes below.
    """

    answers = CHECKED
    """The statuses that the node may answer."""

    def __init__(self, node: Behaviour, team: Team, children: list[Node]) -> None:
        self.path = team.paths[id(node)]
        self.team = team
        self.children = children
        self.run_states: list[State] = [s for c in self.children for s in c.run_states]
        self.lasting_states: list[State] = [s for c in self.children for s in c.lasting_states]

    @abstractmethod
    def tick(self, numbers: Numbers) -> Codes:
        """Ticks the branch for one or more agents, and returns their statuses."""

    def halt(self, numbers: Numbers) -> None:
        """Resets the state of the agents' runs."""
        for array, initial in self.run_states:
            array[numbers] = initial

    def reset(self, numbers: Numbers) -> None:
        """Resets all state of agents except their streams of random numbers."""
        self.halt(numbers)
        for array, initial in self.lasting_states:
            array[numbers] = initial

    def run_state(self, initial: Any, dtype: type, *width: int) -> NDArray[Any]:
        """Returns a new array (count, *width) that is reset when the branch is halted."""
        array: NDArray[Any] = np.full((self.team.count, *width), initial, dtype)
        self.run_states.append((array, initial))
        return array

    def lasting_state(self, initial: Any, dtype: type, *width: int) -> NDArray[Any]:
        """Returns a new array (count, *width) that survives halts."""
        array: NDArray[Any] = np.full((self.team.count, *width), initial, dtype)
        self.lasting_states.append((array, initial))
        return array

    def tick_chosen(self, numbers: Numbers, chosen: NDArray[np.intp]) -> Codes:
        """Ticks, for each agent, the child at its position in `chosen`.

        The answer is FAILURE where this child does not exist.
        """
        answers = np.full(len(numbers), FAILURE, np.uint8)
        for position, child in enumerate(self.children):
            rows = np.flatnonzero(chosen == position)
            if rows.size:
                answers[rows] = child.tick(numbers[rows])
        return answers

    def halt_chosen(self, numbers: Numbers, chosen: NDArray[np.intp]) -> None:
        """Halts, for each agent, the child at its position in `chosen`."""
        for position, child in enumerate(self.children):
            if child.run_states:
                child.halt(numbers[chosen == position])

    def halt_running(self, statuses: NDArray[np.uint8], numbers: Numbers, child: int) -> None:
        """Halts a child for those agents whose stored status of the child is RUNNING."""
        numbers = numbers[statuses[numbers, child] == RUNNING]
        if numbers.size:
            statuses[numbers, child] = INVALID
            self.children[child].halt(numbers)
