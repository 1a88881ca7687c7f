# SPDX-License-Identifier: Apache-2.0
"""Nodes that choose one of several branches, for many agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .call import Call
from .node import FINISHED, RUNNING, Node

if TYPE_CHECKING:
    from deepsim_btree.conditional import IfThenElse
    from deepsim_btree.switch import Switch

    from .node import Codes, Numbers
    from .team import Team


# By code of the condition's status: the branch, or UNDECIDED.
UNDECIDED = -1
BRANCHES = np.array([2, UNDECIDED, 1, 2], np.intp)


class IfThenElseNode(Node):
    """Remembers the branch, 1 or 2, of each agent; 0 is the condition."""

    def __init__(self, node: IfThenElse, team: Team) -> None:
        super().__init__(node, team)
        self._branch = self.run_state(0, np.intp)

    def tick(self, numbers: Numbers) -> Codes:
        """Ask where that was not done yet, then tick the branches."""
        branch = self._branch[numbers]
        asking = np.flatnonzero(branch == 0)
        if asking.size:
            branch[asking] = BRANCHES[self.children[0].tick(numbers[asking])]
        codes = FINISHED[self.tick_chosen(numbers, branch)]
        codes[branch == UNDECIDED] = RUNNING
        self._branch[numbers] = np.where((codes == RUNNING) & (branch > 0), branch, 0)
        return codes


class WhileDoElseNode(Node):
    """Asks at every tick and halts the other branch."""

    def tick(self, numbers: Numbers) -> Codes:
        """Ask, then tick the branches."""
        branch = BRANCHES[self.children[0].tick(numbers)]
        for position, child in enumerate(self.children[1:], 1):
            child.halt(numbers[(branch != UNDECIDED) & (branch != position)])
        codes = FINISHED[self.tick_chosen(numbers, branch)]
        codes[branch == UNDECIDED] = RUNNING
        return codes


class SwitchNode(Node):
    """Asks for a value at every tick and halts the other branches."""

    def __init__(self, node: Switch, team: Team) -> None:
        super().__init__(node, team)
        self._choose = node.choose
        self._value = Call(self.path, team, node.on)

    def tick(self, numbers: Numbers) -> Codes:
        """Ask, then tick the branches."""
        values, which = np.unique(self._value.read(numbers), return_inverse=True)
        chosen = np.array([self._choose(value) for value in values.tolist()], np.intp)[which]
        for position, child in enumerate(self.children):
            child.halt(numbers[chosen != position])
        return FINISHED[self.tick_chosen(numbers, chosen)]
