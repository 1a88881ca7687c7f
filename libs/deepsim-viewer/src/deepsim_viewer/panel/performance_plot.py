# SPDX-License-Identifier: Apache-2.0
"""Wall times of the parts of a tick."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import viser
from numpy.typing import NDArray

from deepsim_sync import Priority, World

from .live_plot import LivePlot

_EVERY = 0.05  # [s] of wall time between rows


class PerformancePlot:
    """A plot of milliseconds per tick, measured only while it is on.

    The lines are the callbacks (trackers, behaviours and controllers, without this viewer), the
    rest of the tick, which is mainly physics, and the ratio of simulated to wall time.

    Args:
        gui: The panel.
        world: The world, accessed in its own thread only.
        post: Schedules a function for that thread.
    """

    def __init__(
        self, gui: viser.GuiApi, world: World, post: Callable[[Callable[[], object]], object]
    ) -> None:
        self._world = world
        self._plot = LivePlot(
            gui,
            "Plot the performance",
            "performance",
            ("callbacks [ms]", "physics and all else [ms]", "x real time"),
        )
        self._begins = _Begin()
        self._end = 0.0  # wall time of the end of the latest callbacks [s]
        self._spent = np.zeros(3)  # wall times of both parts [s], and ticks
        self._since = (0.0, 0.0)  # wall and simulated time of the latest row [s]
        self._plot.on_switch(lambda on: post(lambda: self._switch(on)))

    def end_callbacks(self) -> None:
        """Measures the callbacks of a tick; called after all of them."""
        if self._plot.is_on and self._begins.time:
            now = time.perf_counter()
            if self._end:
                self._spent += (now - self._begins.time, self._begins.time - self._end, 1.0)

    def resume(self, simulated: float) -> None:
        """Begins to measure the physics, after the viewer's work in the tick at a time [s]."""
        if not self._plot.is_on:
            return
        self._end = now = time.perf_counter()
        passed = now - self._since[0]
        if passed > _EVERY and self._spent[2]:
            ratio = max(0.0, simulated - self._since[1]) / passed
            callbacks, physics = (1e3 * self._spent[:2] / self._spent[2]).tolist()
            self._plot.add(simulated, lambda: (callbacks, physics, ratio))
            self._spent[:] = 0.0
            self._since = (now, simulated)

    def _switch(self, on: bool) -> None:
        trackers = self._world.trackers
        self._begins.time = self._end = 0.0
        if on and self._begins not in trackers:
            trackers.add(self._begins, Priority.HIGH)
        elif not on and self._begins in trackers:
            trackers.remove(self._begins)
            self._plot.add(0.0, tuple)

    def close(self) -> None:
        """Stops measuring."""
        if self._begins in self._world.trackers:
            self._world.trackers.remove(self._begins)


class _Begin:
    """A tracker that records the wall time at the beginning of a tick."""

    def __init__(self) -> None:
        self.time = 0.0

    def update_tracker(self, delta_time: float, sim_time: NDArray[np.float64]) -> None:
        self.time = time.perf_counter()
