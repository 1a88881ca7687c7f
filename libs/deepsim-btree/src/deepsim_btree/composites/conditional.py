# SPDX-License-Identifier: Apache-2.0
"""IfThenElse and WhileDoElse: a condition decides which of two branches runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deepsim_btree.parent import Parent
from deepsim_btree.status import FAILURE, INVALID, RUNNING, SUCCESS, Status

if TYPE_CHECKING:
    from deepsim_btree.behaviour import Behaviour


class Conditional(Parent):
    """A condition and one or two branches.

    Args:
        condition: The node that is asked; FAILURE and INVALID mean no.
        then: The node that runs after a yes.
        otherwise: The node that runs after a no; without it a no is a FAILURE.
    """

    __slots__ = ()

    def __init__(
        self,
        condition: Behaviour,
        then: Behaviour,
        otherwise: Behaviour | None = None,
        name: str | None = None,
    ) -> None:
        branches = (then,) if otherwise is None else (then, otherwise)
        super().__init__((condition, *branches), name)


class IfThenElse(Conditional):
    """Asks a condition once per run, then runs one branch to its end.

    >>> from deepsim_btree import Check, Running, Success, Tree
    >>> battery = [0.1]
    >>> is_low = Check(lambda: battery[0] < 0.2)
    >>> tree = Tree(IfThenElse(is_low, Running("charge"), Success("work")))
    >>> tree.tick().name
    'RUNNING'
    >>> battery[0] = 0.9  # not asked again while a branch is RUNNING
    >>> tree.tick().name
    'RUNNING'

    Args:
        condition: The node that is asked, until it is not RUNNING; FAILURE and INVALID mean no.
        then: The node that runs after a yes.
        otherwise: The node that runs after a no; without it a no is a FAILURE.
    """

    __slots__ = ("_branch",)

    def __init__(
        self,
        condition: Behaviour,
        then: Behaviour,
        otherwise: Behaviour | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(condition, then, otherwise, name)
        self._branch = 0

    def update(self) -> Status:
        """Asks if that was not done yet, then tick the branch."""
        if self.status is not RUNNING:
            self._branch = 0
        if self._branch == 0:
            status = self.tick_child(self._children[0])
            if status is RUNNING:
                return RUNNING
            self._branch = 1 if status is SUCCESS else 2
        for branch, child in enumerate(self._children[1:], 1):
            if branch == self._branch:
                status = self.tick_child(child)
                return FAILURE if status is INVALID else status
        return FAILURE


class WhileDoElse(Conditional):
    """Asks a condition at every tick and runs the branch that fits, halting the other one.

    While the condition itself is RUNNING no branch is ticked, and none is halted.

    >>> from deepsim_btree import Check, Running, Success, Tree
    >>> battery = [0.1]
    >>> is_low = Check(lambda: battery[0] < 0.2)
    >>> tree = Tree(WhileDoElse(is_low, Running("charge"), Success("work")))
    >>> tree.tick().name
    'RUNNING'
    >>> battery[0] = 0.9
    >>> tree.tick().name
    'SUCCESS'

    Args:
        condition: The node that is asked; FAILURE and INVALID mean no.
        then: The node that runs while the answer is "yes".
        otherwise: The node that runs while the answer is "no"; without it "no" means FAILURE.
    """

    __slots__ = ()

    def update(self) -> Status:
        """Asks, halts the branch that does not fit, and ticks the other."""
        status = self.tick_child(self._children[0])
        if status is RUNNING:
            return RUNNING
        chosen = 1 if status is SUCCESS else 2
        for branch, child in enumerate(self._children[1:], 1):
            if branch != chosen:
                child.halt()
        for branch, child in enumerate(self._children[1:], 1):
            if branch == chosen:
                status = self.tick_child(child)
                return FAILURE if status is INVALID else status
        return FAILURE
