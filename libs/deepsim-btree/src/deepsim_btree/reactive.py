# SPDX-License-Identifier: Apache-2.0
"""ReactiveSequence and ReactiveSelector: they ask every child again at every tick."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import TickError
from .serial import Serial
from .status import FAILURE, INVALID, RUNNING, SKIPPED, SUCCESS, Status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .behaviour import Behaviour


class ReactiveComposite(Serial):
    """Runs its children from the first at each tick and halts the one that lost its turn."""

    __slots__ = ("_running",)

    def __init__(self, children: Iterable[Behaviour] = (), name: str | None = None) -> None:
        super().__init__(children, name)
        self._running = -1

    def update(self) -> Status:
        """Run children from the first; then halt a later one that was RUNNING until now."""
        running = self._running if self.status is RUNNING else -1
        go_on = self.go_on
        tick = self.last_tick
        skipped = 0
        child: Behaviour = self
        try:
            for position, child in enumerate(self._children):
                child.last_tick = tick
                child.status = status = child._entry()
                if status is go_on:
                    continue
                if status is SKIPPED:
                    skipped += 1
                    continue
                if status is INVALID:
                    if go_on is FAILURE:
                        continue
                    status = FAILURE
                elif status is not RUNNING and status is not SUCCESS and status is not FAILURE:
                    raise child._no_status(status)
                if position < running:
                    self._children[running].halt()
                self._running = position
                return status
        except TickError:
            raise
        except Exception as error:
            raise child._failed(error) from error
        return SKIPPED if skipped and skipped == len(self._children) else go_on


class ReactiveSequence(ReactiveComposite):
    """A `Sequence` that asks every child again at every tick: conditions guard what follows.

    As soon as an earlier child is not SUCCESS any more, the child that was RUNNING is halted.
    """

    __slots__ = ()
    go_on = SUCCESS


class ReactiveSelector(ReactiveComposite):
    """A `Selector` that tries every child again at every tick: the first has priority.

    As soon as an earlier child does not fail any more, the child that was RUNNING is halted.
    """

    __slots__ = ()
    go_on = FAILURE
