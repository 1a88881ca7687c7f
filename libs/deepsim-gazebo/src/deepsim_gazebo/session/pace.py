# SPDX-License-Identifier: Apache-2.0
"""Ticks that follow the clock of a free-running world."""

from __future__ import annotations

from deepsim_gazebo.ros.clock import SimulationClock


class Pace:
    """Timer that delays ticks until their simulated time has come.

    Attributes:
        late_ticks: The number of ticks that were requested after their time had passed.
    """

    def __init__(self, clock: SimulationClock) -> None:
        self._clock = clock
        self._due: float | None = None
        self._seen = 0.0
        self.late_ticks = 0

    def wait(self, duration: float, resolution: float) -> None:
        """Waits until `duration` has passed since the last tick was due.

        A late tick is counted and returns at once; the next one is due `duration` after it. If
        the clock went back, as after a reset, the tick is due `duration` from now.

        Args:
            duration: Simulated time from one tick to the next [s].
            resolution: Twice the time that a tick may be early or late [s].
        """
        now = self._clock.look()
        if self._due is None or now < self._seen:
            self._due = now
        self._due += duration
        if now > self._due + resolution / 2:
            self.late_ticks += 1
            self._due = self._seen = now
        else:
            self._seen = self._clock.wait_until(self._due - resolution / 2)

    def restart(self) -> None:
        """Forgets when the last tick was due: the next call to `wait` takes its whole duration."""
        self._due = None
