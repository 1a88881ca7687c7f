# SPDX-License-Identifier: Apache-2.0
"""The rewards of agents over simulated time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import viser
import viser.uplot as uplot

_KEPT = 400  # steps
_EVERY = 0.35  # [s] of wall time between two pictures
_MOST = 8  # agents
_COLORS = ("#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f")


class RewardPlot:
    """A plot of the latest rewards of the first agents, which costs nothing while it is off.

    Args:
        gui: The panel.
        slots: The agents.
    """

    def __init__(self, gui: viser.GuiApi, slots: Sequence[str]) -> None:
        self._gui = gui
        self._slots = tuple(slots[:_MOST])
        self._rows: deque[list[float]] = deque(maxlen=_KEPT)
        self._drawn = 0.0
        self._plot: Any = None
        self._folder = gui.add_folder("Rewards", expand_by_default=False)
        with self._folder:
            self._on = gui.add_checkbox("Plot the rewards", False)

    def add(self, simulated: float, rewards: Mapping[str, float]) -> None:
        """Takes the rewards of a step.

        Args:
            simulated: Time of the step [s].
            rewards: By agent; agents that are done have none.
        """
        if not self._on.value:
            if self._plot is not None:
                self._plot.remove()
                self._plot = None
                self._rows.clear()
            return
        if self._rows and simulated < self._rows[-1][0]:
            self._rows.clear()
        row = [rewards.get(slot, np.nan) for slot in self._slots]
        self._rows.append([simulated, *row])
        now = time.monotonic()
        if now - self._drawn > _EVERY:
            self._drawn = now
            self._draw()

    def _draw(self) -> None:
        data = tuple(np.array(self._rows).T)
        if self._plot is not None:
            self._plot.data = data
            return
        series = [uplot.Series(label="t [s]")] + [
            uplot.Series(label=slot, stroke=color, width=2)
            for slot, color in zip(self._slots, _COLORS, strict=False)
        ]
        with self._folder:
            self._plot = self._gui.add_uplot(
                data,
                tuple(series),
                title="reward of a step",
                scales={"x": uplot.Scale(time=False)},
                aspect=1.6,
            )
