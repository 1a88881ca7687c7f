# SPDX-License-Identifier: Apache-2.0
"""Sequences and selectors for many agents: with memory, in random order and reactive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .node import FAILURE, INVALID, RUNNING, SUCCESS, Node

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from deepsim_btree.random_order import RandomComposite
    from deepsim_btree.serial import Serial

    from .node import Codes, Numbers
    from .team import Team


class SerialNode(Node):
    """Runs children one after another while they answer ``go_on``; agents drop out on the way."""

    def __init__(self, node: Serial, team: Team) -> None:
        super().__init__(node, team)
        self.go_on = int(node.go_on)
        self.other = FAILURE if self.go_on == SUCCESS else SUCCESS
        # Which child is RUNNING, counted from 1 in the order of execution; 0 for none.
        self.at = self.run_state(0, np.int32)

    def goes_on(self, codes: Codes) -> NDArray[np.bool_]:
        """Return which agents go on after a child that answered `codes`."""
        goes_on: NDArray[np.bool_] = codes == self.go_on
        if self.go_on == FAILURE:
            goes_on |= codes == INVALID
        return goes_on

    def settle(
        self, turn: int, codes: Codes, answers: Codes, rows: Numbers, numbers: Numbers
    ) -> None:
        """Write down which agents are RUNNING at the child whose turn it was."""
        running = np.flatnonzero(codes == RUNNING)
        if running.size:
            answers[rows[running]] = RUNNING
            self.at[numbers[running]] = turn


class MemoryNode(SerialNode):
    """Runs children in order, from the one that is RUNNING."""

    def tick(self, numbers: Numbers) -> Codes:
        """Run children."""
        at = self.at[numbers]
        answers = np.full(len(numbers), self.other, np.uint8)
        resumes = bool(at.any())
        if resumes:
            self.at[numbers] = 0
            rows = np.flatnonzero(at == 0)  # of the agents that go on
            who = numbers[rows]
        else:
            rows = np.arange(len(numbers))
            who = numbers
        if who.size:
            self.start(who)
        for turn in range(1, len(self.children) + 1):
            if resumes:
                resumed = np.flatnonzero(at == turn)
                rows = np.concatenate((rows, resumed))
                who = np.concatenate((who, numbers[resumed]))
            if not who.size:
                continue
            codes = self.tick_turn(turn, who)
            goes_on = np.flatnonzero(self.goes_on(codes))
            if goes_on.size < who.size:
                self.settle(turn, codes, answers, rows, who)
                rows, who = rows[goes_on], who[goes_on]
        answers[rows] = self.go_on
        return answers

    def start(self, numbers: Numbers) -> None:
        """Prepare the runs of agents that start one."""

    def tick_turn(self, turn: int, numbers: Numbers) -> Codes:
        """Tick the child whose turn it is."""
        return self.children[turn - 1].tick(numbers)


class RandomNode(MemoryNode):
    """Runs children in an order that each agent draws at the start of each run."""

    def __init__(self, node: RandomComposite, team: Team) -> None:
        super().__init__(node, team)
        self._orders = np.zeros((team.count, len(self.children)), np.intp)
        self._streams = team.streams(node)

    def start(self, numbers: Numbers) -> None:
        """Draw orders."""
        if self.children:
            self._orders[numbers] = self._streams.draw_orders(numbers, len(self.children))

    def tick_turn(self, turn: int, numbers: Numbers) -> Codes:
        """Tick every child for those agents whose order has it at this place."""
        chosen = self._orders[numbers, turn - 1]
        return self.tick_chosen(numbers, chosen)


class ReactiveNode(SerialNode):
    """Runs children from the first at each tick and halts the one that lost its turn."""

    def tick(self, numbers: Numbers) -> Codes:
        """Run children."""
        at = self.at[numbers]
        answers = np.full(len(numbers), self.other, np.uint8)
        resumes = bool(at.any())
        if resumes:
            self.at[numbers] = 0
        rows, who = np.arange(len(numbers)), numbers  # of the agents that go on
        for turn, child in enumerate(self.children, 1):
            codes = child.tick(who)
            mask = self.goes_on(codes)
            goes_on = np.flatnonzero(mask)
            if goes_on.size < who.size:
                if resumes:
                    self._halt_later(turn, who[~mask], at[rows[~mask]])
                self.settle(turn, codes, answers, rows, who)
                rows, who = rows[goes_on], who[goes_on]
                if not who.size:
                    return answers
        answers[rows] = self.go_on
        return answers

    def _halt_later(self, turn: int, numbers: Numbers, at: NDArray[np.int32]) -> None:
        """Halt the children that were RUNNING, for agents that have stopped before these."""
        for later, child in enumerate(self.children[turn:], turn + 1):
            lost = numbers[at == later]
            if lost.size:
                child.halt(lost)
