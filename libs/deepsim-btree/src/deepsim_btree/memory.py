# SPDX-License-Identifier: Apache-2.0
"""Sequence and Selector: they remember the child that is RUNNING and go on there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import TickError
from .serial import Serial
from .status import FAILURE, INVALID, RUNNING, SKIPPED, SUCCESS, Status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .behaviour import Behaviour


class MemoryComposite(Serial):
    """Runs its children in order; while one is RUNNING the next tick starts at that one."""

    __slots__ = ("_current", "_skipped")

    def __init__(self, children: Iterable[Behaviour] = (), name: str | None = None) -> None:
        super().__init__(children, name)
        self._current = 0
        self._skipped = 0

    def update(self) -> Status:
        """Run children, from the first or from the one that is RUNNING."""
        return self._run_in_turn(self._children)

    def _run_in_turn(self, children: list[Behaviour]) -> Status:
        first = skipped = 0
        if self.status is RUNNING:
            first, skipped = self._current, self._skipped
            if first:
                children = children[first:]
        go_on = self.go_on
        tick = self.last_tick
        child: Behaviour = self
        try:
            for position, child in enumerate(children, first):
                child.last_tick = tick
                child.status = status = child._entry()
                if status is go_on:
                    continue
                if status is RUNNING:
                    self._current = position
                    self._skipped = skipped
                    return RUNNING
                if status is SUCCESS or status is FAILURE:
                    return status
                if status is SKIPPED:
                    skipped += 1
                    continue
                if status is not INVALID:
                    raise child._no_status(status)
                if go_on is SUCCESS:
                    return FAILURE
        except TickError:
            raise
        except Exception as error:
            raise child._failed(error) from error
        return SKIPPED if skipped and skipped == len(self._children) else go_on


class Sequence(MemoryComposite):
    """Runs its children in order and succeeds when all have succeeded.

    Fails at the first child that fails or is INVALID; succeeds if there are no children.
    Children that have succeeded are not asked again while a later one is RUNNING:
    `ReactiveSequence` does that.
    """

    __slots__ = ()
    go_on = SUCCESS


class Selector(MemoryComposite):
    """Tries its children in order and succeeds at the first that succeeds.

    Fails when all have failed or were INVALID, and if there are no children. Children that have
    failed are not asked again while a later one is RUNNING: `ReactiveSelector` does that.
    """

    __slots__ = ()
    go_on = FAILURE
