# SPDX-License-Identifier: Apache-2.0
"""Composites of BehaviorTree.CPP that finish one child per tick, or keep their place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from deepsim_btree.behaviour import Behaviour
from deepsim_btree.status import FAILURE, INVALID, RUNNING, SKIPPED, SUCCESS, Status
from deepsim_btree.tag import Tag

from .composite import Composite


class Stepwise(Composite):
    """The base of composites that end a tick after each child that finishes in its first tick."""

    __slots__ = ("_skipped",)
    keeps_place: ClassVar[bool] = False

    def __init__(self, children: Iterable[Behaviour] = (), name: str | None = None) -> None:
        super().__init__(children, name)
        self._skipped = 0

    def update(self) -> Status:
        """Ticks the current child; if it was RUNNING already, goes on with the next one at once."""
        if self.status is not RUNNING:
            self._skipped = 0
            if not self.keeps_place:
                self._current = 0
        children = self._children
        while self._current < len(children):
            child = children[self._current]
            was_running = child.status is RUNNING
            status = self.tick_child(child)
            if status is RUNNING:
                return RUNNING
            if status is SKIPPED:
                self._skipped += 1
                self._current += 1
                continue
            status = FAILURE if status is INVALID else status
            if status is not self.go_on:
                return status
            self._current += 1
            if not was_running and self._current < len(children):
                return RUNNING
        self._current = 0
        return SKIPPED if self._skipped and self._skipped == len(children) else self.go_on

    def reset(self) -> None:
        """Resets the node; the next run begins with the first child."""
        super().reset()
        self._current = 0


class AsyncSequence(Stepwise):
    """A `Sequence` that answers RUNNING after each child that succeeds in its first tick.

    >>> from deepsim_btree import Success, Tree
    >>> tree = Tree(AsyncSequence([Success("open"), Success("enter")]))
    >>> tree.tick().name, tree.tick().name
    ('RUNNING', 'SUCCESS')
    """

    __slots__ = ()
    xml_tags = (Tag("AsyncSequence"),)
    go_on = SUCCESS


class AsyncSelector(Stepwise):
    """A `Selector` that answers RUNNING after each child that fails in its first tick.

    >>> from deepsim_btree import Failure, Success, Tree
    >>> tree = Tree(AsyncSelector([Failure("door"), Success("window")]))
    >>> tree.tick().name, tree.tick().name
    ('RUNNING', 'SUCCESS')
    """

    __slots__ = ()
    xml_tags = (Tag("AsyncFallback"),)
    go_on = FAILURE


class SequenceWithMemory(AsyncSequence):
    """An `AsyncSequence` that begins its next run at the child that failed or was halted.

    >>> from deepsim_btree import Tree
    >>> from deepsim_btree.testing import Scripted
    >>> root = SequenceWithMemory([Scripted("S", "open"), Scripted("FS", "enter")])
    >>> tree = Tree(root)
    >>> [tree.tick().name for _ in range(3)]
    ['RUNNING', 'FAILURE', 'SUCCESS']
    >>> root.children[0].log
    ['start', 'S', 'end S']
    """

    __slots__ = ()
    xml_tags = (Tag("SequenceWithMemory"),)
    keeps_place = True
