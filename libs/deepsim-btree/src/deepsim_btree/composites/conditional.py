# SPDX-License-Identifier: Apache-2.0
"""IfThenElse, WhileDoElse and Guard: a condition decides what runs."""

from __future__ import annotations

from collections.abc import Callable

from deepsim_btree.behaviour import Behaviour
from deepsim_btree.decorators.decorator import Decorator
from deepsim_btree.leaves.function import truth
from deepsim_btree.parent import Parent
from deepsim_btree.status import FAILURE, INVALID, RUNNING, SUCCESS, Status
from deepsim_btree.tag import Tag


class Conditional(Parent):
    """A condition and one or two branches.

    Args:
        condition: The node to test; SUCCESS means yes, FAILURE and INVALID mean no.
        then: The node that runs after a yes.
        otherwise: The node that runs after a no; if None, a no makes this node fail.
    """

    __slots__ = ("_branch",)

    def __init__(
        self,
        condition: Behaviour,
        then: Behaviour,
        otherwise: Behaviour | None = None,
        name: str | None = None,
    ) -> None:
        branches = (then,) if otherwise is None else (then, otherwise)
        super().__init__((condition, *branches), name)
        self._branch = 0  # of the run; 0 before the condition has answered


class IfThenElse(Conditional):
    """Tests a condition once per run, then runs one branch to its end.

    >>> from deepsim_btree import Check, Running, Success, Tree
    >>> battery = [0.1]
    >>> is_low = Check(lambda: battery[0] < 0.2)
    >>> tree = Tree(IfThenElse(is_low, Running("charge"), Success("work")))
    >>> tree.tick().name
    'RUNNING'
    >>> battery[0] = 0.9  # not tested again while a branch is RUNNING
    >>> tree.tick().name
    'RUNNING'

    Args:
        condition: The node to test, ticked until it is not RUNNING; SUCCESS means yes, FAILURE and
            INVALID mean no.
        then: The node that runs after a yes.
        otherwise: The node that runs after a no; if None, a no makes this node fail.
    """

    __slots__ = ()
    xml_tags = (Tag("IfThenElse", hidden=("condition", "then", "otherwise")),)

    def update(self) -> Status:
        """Tests the condition if this was not done yet, then ticks the branch."""
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
    """Tests a condition at every tick, runs one branch accordingly and halts the other one.

    While the condition itself is RUNNING, no branch is ticked or halted.

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
        condition: The node to test; SUCCESS means yes, FAILURE and INVALID mean no.
        then: The node that runs while the answer is yes.
        otherwise: The node that runs while the answer is no; if None, a no makes this node fail.
    """

    __slots__ = ()
    xml_tags = (Tag("WhileDoElse", hidden=("condition", "then", "otherwise")),)

    def update(self) -> Status:
        """Tests the condition, halts one branch and ticks the other."""
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


class Guard(Decorator):
    """Ticks its child while a condition holds; otherwise halts it and fails.

    It answers like a `ReactiveSequence` of a `Check` and the child.

    >>> from deepsim_btree import Running, Tree
    >>> battery = [0.9]
    >>> tree = Tree(Guard(Running("drive"), condition=lambda: battery[0] > 0.2))
    >>> tree.tick().name
    'RUNNING'
    >>> battery[0] = 0.1
    >>> tree.tick().name, tree.root.child.status.name
    ('FAILURE', 'INVALID')

    Args:
        condition: Called without arguments at each tick, before the child; returns True or False.

    Raises:
        TypeError: `condition` is not callable.
    """

    __slots__ = ("condition",)

    def __init__(
        self, child: Behaviour, name: str | None = None, *, condition: Callable[[], bool]
    ) -> None:
        super().__init__(child, name)
        if not callable(condition):
            raise TypeError(f"condition must be callable, got {condition!r}")
        self.condition = condition

    def update(self) -> Status:
        """Tests the condition, then ticks the child or halts it."""
        if truth(self.condition()):
            return self.tick_child(self.child)
        self.child.halt()
        return FAILURE
