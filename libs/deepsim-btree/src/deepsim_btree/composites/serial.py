# SPDX-License-Identifier: Apache-2.0
"""Sequences and selectors, with memory and reactive."""

from __future__ import annotations

from deepsim_btree.behaviour import Behaviour
from deepsim_btree.parent import Composite
from deepsim_btree.status import FAILURE, INVALID, RUNNING, SKIPPED, SUCCESS, Status
from deepsim_btree.tag import Tag


class Sequence(Composite):
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
    xml_tags = (Tag("Sequence"),)
    go_on = SUCCESS

    def update(self) -> Status:
        return tick_in_turn(self, self._children)


class Selector(Composite):
    """Tries its children in order until one succeeds, and then succeeds.

    Fails when all have failed or were INVALID, and without children. Children that have failed are
    not ticked again while a later one is RUNNING; `ReactiveSelector` ticks them.

    >>> from deepsim_btree import Failure, Success, Tree
    >>> tree = Tree(Selector([Failure("door"), Success("window")]))
    >>> tree.tick().name, tree.root.tip().name
    ('SUCCESS', 'window')
    """

    __slots__ = ()
    xml_tags = (Tag("Fallback"),)
    go_on = FAILURE

    def update(self) -> Status:
        return tick_in_turn(self, self._children)


class ReactiveSequence(Composite):
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
    xml_tags = (Tag("ReactiveSequence"),)
    go_on = SUCCESS

    def update(self) -> Status:
        return tick_from_first(self, self._children)


class ReactiveSelector(Composite):
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
    xml_tags = (Tag("ReactiveFallback"),)
    go_on = FAILURE

    def update(self) -> Status:
        return tick_from_first(self, self._children)


def tick_in_turn(node: Composite, children: list[Behaviour]) -> Status:
    """Ticks children in order while each answers ``node.go_on``; a RUNNING one is the first."""
    go_on = node.go_on
    first = node._current if node.status is RUNNING else 0
    status = go_on
    for child in children[first:] if first else children:
        status = node.tick_child(child)
        if status is not go_on:
            if status is RUNNING:
                node._current = children.index(child, first)
                return RUNNING
            if status is not SKIPPED and (status is not INVALID or go_on is SUCCESS):
                return FAILURE if status is INVALID else status
    return SKIPPED if status is SKIPPED and _all_skipped(children) else go_on


def tick_from_first(node: Composite, children: list[Behaviour]) -> Status:
    """Ticks children in order while each answers ``node.go_on``, and halts the one left RUNNING."""
    go_on = node.go_on
    running = node._current if node.status is RUNNING else -1
    status = go_on
    for position, child in enumerate(children):
        status = node.tick_child(child)
        if status is not go_on:  # noqa: SIM102 - tested first, as the usual answer
            if status is not SKIPPED and (status is not INVALID or go_on is SUCCESS):
                if position < running:
                    children[running].halt()
                node._current = position
                return FAILURE if status is INVALID else status
    return SKIPPED if status is SKIPPED and _all_skipped(children) else go_on


def _all_skipped(children: list[Behaviour]) -> bool:
    return all(child.status is SKIPPED for child in children)
