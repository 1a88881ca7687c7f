# SPDX-License-Identifier: Apache-2.0
"""Control of a world's time, and execution of functions in its thread."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

_LATE = 0.25  # [s] of wall time; the world does not catch up after a longer delay


class Control:
    """The control of a ticking world: pauses it, limits its speed, runs functions in its thread.

    All methods except `wait` may be called from any thread.

    Args:
        post: Schedules a function for the next tick (`World.post`).
        speed: Simulated seconds per second of wall time, > 0; None for as fast as possible.

    Attributes:
        speed: The speed; settable.
        has_speed: Whether the speed can be chosen.
    """

    has_speed = True

    def __init__(self, post: Callable[[Callable[[], object]], None], speed: float | None) -> None:
        self._paused = False
        self.speed = speed
        self._post = post
        self._changed = threading.Condition()
        self._waiting: deque[Callable[[], object]] = deque()
        self._steps = 0
        self._passing = False
        self._origin: tuple[float, float, float | None] | None = None

    @property
    def paused(self) -> bool:
        """Whether the world is paused."""
        return self._paused

    def pause(self) -> None:
        """Pauses the world at the end of its next tick, before the physics advances."""
        with self._changed:
            self._paused, self._steps = True, 0

    def resume(self) -> None:
        """Resumes the world."""
        with self._changed:
            self._paused = False
            self._changed.notify_all()

    def release(self) -> None:
        """Resumes the world when the viewer closes."""
        self.resume()

    def step(self, ticks: int = 1) -> None:
        """Pauses the world after a number of ticks."""
        with self._changed:
            self._paused = True
            self._steps += ticks
            self._changed.notify_all()

    def let_pass(self, passing: bool) -> None:
        """Sets whether the world ticks even while it is paused."""
        with self._changed:
            self._passing = passing
            self._changed.notify_all()

    def call(self, function: Callable[[], object]) -> None:
        """Runs a function in the world's thread: in the next tick, or immediately while paused."""
        with self._changed:
            if self.paused:
                self._waiting.append(function)
                self._changed.notify_all()
            else:
                self._post(function)

    def wait(self, now: float, after_call: Callable[[], object]) -> None:
        """Returns when the world may continue; called by the world's thread in each tick.

        Args:
            now: Simulated time [s].
            after_call: Called after each function that runs during the wait, because another
                thread passed it to `call` while the world was paused.
        """
        if self.paused or self._waiting:
            self._hold(after_call)
        speed = self.speed
        if speed is None or self._passing:
            self._origin = None
            return
        wall = time.monotonic()
        if self._origin is None or self._origin[2] != speed or now < self._origin[1]:
            self._origin = (wall, now, speed)
        ahead = self._origin[0] + (now - self._origin[1]) / speed - wall
        if ahead > 0.0:
            time.sleep(ahead)
        elif ahead < -_LATE:
            self._origin = None

    def _hold(self, after_call: Callable[[], object]) -> None:
        while True:
            with self._changed:
                if not self._waiting:
                    if not self.paused or self._passing:
                        return
                    if self._steps:
                        self._steps -= 1
                        return
                    self._origin = None
                    self._changed.wait()
                    continue
                function = self._waiting.popleft()
            function()
            after_call()


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
