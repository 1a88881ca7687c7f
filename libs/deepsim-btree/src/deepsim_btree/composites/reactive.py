# SPDX-License-Identifier: Apache-2.0
"""ReactiveSequence and ReactiveSelector, which start at the first child at every tick."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deepsim_btree.status import FAILURE, INVALID, RUNNING, SKIPPED, SUCCESS, Status

from .serial import Serial

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deepsim_btree.behaviour import Behaviour


class ReactiveComposite(Serial):
    """The base of composites that start at the first child at every tick."""

    __slots__ = ("_running",)

    def __init__(self, children: Iterable[Behaviour] = (), name: str | None = None) -> None:
        super().__init__(children, name)
        self._running = -1

    def update(self) -> Status:
        """Runs the children from the first one, then halts a later one that was RUNNING."""
        go_on = self.go_on
        running = self._running if self.status is RUNNING else -1
        status = go_on
        for position, child in enumerate(self._children):
            status = self.tick_child(child)
            if status is not go_on:  # noqa: SIM102 - tested first, as the usual answer
                if status is not SKIPPED and (status is not INVALID or go_on is SUCCESS):
                    if position < running:
                        self._children[running].halt()
                    self._running = position
                    return FAILURE if status is INVALID else status
        return SKIPPED if status is SKIPPED and self._all_skipped() else go_on


class ReactiveSequence(ReactiveComposite):
    """A `Sequence` that ticks its conditions again at every tick, to guard later children.

    As soon as an earlier child no longer succeeds, the child that was RUNNING is halted.

    >>> from deepsim_btree import Running, Tree
    >>> from deepsim_btree.testing import Scripted
    >>> drive = Running("drive")
    >>> tree = Tree(ReactiveSequence([Scripted("SF", "is the way free"), drive]))
    >>> tree.tick().name, drive.status.name
    ('RUNNING', 'RUNNING')
    >>> tree.tick().name, drive.status.name
    ('FAILURE', 'INVALID')
    """

    __slots__ = ()
    go_on = SUCCESS


class ReactiveSelector(ReactiveComposite):
    """A `Selector` that tries all children again at every tick; earlier ones have priority.

    As soon as an earlier child no longer fails, the child that was RUNNING is halted.

    >>> from deepsim_btree import Running, Tree
    >>> from deepsim_btree.testing import Scripted
    >>> patrol = Running("patrol")
    >>> tree = Tree(ReactiveSelector([Scripted("FR", "flee"), patrol]))
    >>> tree.tick().name, patrol.status.name
    ('RUNNING', 'RUNNING')
    >>> tree.tick().name, patrol.status.name
    ('RUNNING', 'INVALID')
    """

    __slots__ = ()
    go_on = FAILURE
