# SPDX-License-Identifier: Apache-2.0
"""Whether time runs, how fast, and what browsers ask the world for."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

_LATE = 0.25  # [s] of wall time behind which lost time is not caught up


class Control:
    """Holds back a world that ticks, and hands it functions of other threads.

    Every method but `wait` may be called from any thread.

    Args:
        post: Leaves a function for the next tick (`World.post`).
        speed: Simulated seconds per second of wall time, > 0; None for as fast as it goes.

    Attributes:
        speed: As given; it may be set.
        has_speed: Whether the speed can be chosen here.
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
        """Whether the world is held."""
        return self._paused

    def pause(self) -> None:
        """Holds the world at the end of its next tick, before the physics advances."""
        with self._changed:
            self._paused, self._steps = True, 0

    def resume(self) -> None:
        """Lets time run."""
        with self._changed:
            self._paused = False
            self._changed.notify_all()

    def release(self) -> None:
        """Holds the world no more, since nobody is left who could."""
        self.resume()

    def step(self, ticks: int = 1) -> None:
        """Pauses, and lets so many ticks pass."""
        with self._changed:
            self._paused = True
            self._steps += ticks
            self._changed.notify_all()

    def let_pass(self, passing: bool) -> None:
        """Lets the world tick for as long as this holds, even while it is paused."""
        with self._changed:
            self._passing = passing
            self._changed.notify_all()

    def call(self, function: Callable[[], object]) -> None:
        """Runs a function in the world's thread: in the next tick, or at once while it is held."""
        with self._changed:
            if self.paused:
                self._waiting.append(function)
                self._changed.notify_all()
            else:
                self._post(function)

    def wait(self, now: float, after_call: Callable[[], object]) -> None:
        """Returns when the world may go on; the world's thread calls it in each tick.

        Args:
            now: Simulated time [s].
            after_call: Called after functions of other threads ran.
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
