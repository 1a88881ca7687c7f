# SPDX-License-Identifier: Apache-2.0
"""Control of worlds whose time another process advances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from .control import Control


class Clock(Protocol):
    """The clock of a world that follows another process, as in deepsim-transport.

    The viewer calls it in the world's thread.

    >>> class Stopped:
    ...     paused = True
    ...     def pause(self):
    ...         '''Does nothing: time never advances.'''
    ...     resume = pause
    ...     def advance(self, steps):
    ...         '''Does nothing.'''
    >>> clock: Clock = Stopped()
    >>> clock.paused
    True
    """

    @property
    def paused(self) -> bool:
        """Whether time is paused, by any process; any thread may read it."""

    def pause(self) -> None:
        """Pauses time."""

    def resume(self) -> None:
        """Resumes time."""

    def advance(self, steps: int) -> None:
        """Pauses time after a number of physics steps."""


class ClockControl(Control):
    """A control that forwards pause, resume and step to a clock, and never blocks the world itself.

    Args:
        post: Schedules a function for the next tick (`World.post`).
        clock: The clock.
        ask: Schedules a function for the world's thread and reports its errors.
        steps: Physics steps per tick.
    """

    has_speed = False

    def __init__(
        self,
        post: Callable[[Callable[[], object]], None],
        clock: Clock,
        ask: Callable[[Callable[[], object]], None],
        steps: int,
    ) -> None:
        super().__init__(post, None)
        self._clock, self._ask, self._steps_per_tick = clock, ask, steps

    @property
    def paused(self) -> bool:
        """Whether time is paused."""
        return self._clock.paused

    def pause(self) -> None:
        """Pauses time."""
        self._ask(self._clock.pause)

    def resume(self) -> None:
        """Resumes time."""
        self._ask(self._clock.resume)

    def release(self) -> None:
        """Does nothing: other viewers share the clock."""

    def step(self, ticks: int = 1) -> None:
        """Pauses time after a number of ticks."""
        steps = ticks * self._steps_per_tick
        self._ask(lambda: self._clock.advance(steps))

    def call(self, function: Callable[[], object]) -> None:
        """Runs a function in the next tick."""
        self._post(function)

    def wait(self, now: float, after_call: Callable[[], object]) -> None:
        """Returns immediately."""
