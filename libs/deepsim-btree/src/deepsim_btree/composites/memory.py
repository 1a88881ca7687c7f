# SPDX-License-Identifier: Apache-2.0
"""Sequence and Selector, which continue at the child that is RUNNING."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deepsim_btree.status import FAILURE, INVALID, RUNNING, SKIPPED, SUCCESS, Status

from .serial import Serial

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deepsim_btree.behaviour import Behaviour


class MemoryComposite(Serial):
    """The base of composites that run children in order and continue at the RUNNING one."""

    __slots__ = ("_current",)

    def __init__(self, children: Iterable[Behaviour] = (), name: str | None = None) -> None:
        super().__init__(children, name)
        self._current = 0

    def update(self) -> Status:
        """Runs the children from the first one, or from the one that is RUNNING."""
        return self._run_in_turn(self._children)

    def _run_in_turn(self, children: list[Behaviour]) -> Status:
        go_on = self.go_on
        first = self._current if self.status is RUNNING else 0
        status = go_on
        for position, child in enumerate(children[first:], first):
            status = self.tick_child(child)
            if status is not go_on:
                if status is RUNNING:
                    self._current = position
                    return RUNNING
                if status is not SKIPPED and (status is not INVALID or go_on is SUCCESS):
                    return FAILURE if status is INVALID else status
        return SKIPPED if status is SKIPPED and self._all_skipped() else go_on


class Sequence(MemoryComposite):
    """Runs its children in order and succeeds when all have succeeded.

    Fails at the first child that fails or is INVALID; succeeds without children. Children that have
    succeeded are not ticked again while a later one is RUNNING; `ReactiveSequence` ticks them.

    >>> from deepsim_btree import Tree
    >>> from deepsim_btree.testing import Scripted
    >>> tree = Tree(Sequence([Scripted("S", "open"), Scripted("RS", "enter")]))
    >>> tree.tick().name, tree.tick().name
    ('RUNNING', 'SUCCESS')
    >>> tree.root.children[0].log  # ticked once
    ['start', 'S', 'end S']
    """

    __slots__ = ()
    go_on = SUCCESS


class Selector(MemoryComposite):
    """Tries its children in order until one succeeds, and then succeeds.

    Fails when all have failed or were INVALID, and without children. Children that have failed are
    not ticked again while a later one is RUNNING; `ReactiveSelector` ticks them.

    >>> from deepsim_btree import Failure, Success, Tree
    >>> tree = Tree(Selector([Failure("door"), Success("window")]))
    >>> tree.tick().name, tree.root.tip().name
    ('SUCCESS', 'window')
    """

    __slots__ = ()
    go_on = FAILURE
