# SPDX-License-Identifier: Apache-2.0
"""Numbers over simulated time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import viser
import viser.uplot as uplot

_KEPT = 400  # rows
_EVERY = 0.35  # [s] of wall time between two pictures
_COLORS = ("#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f")
MOST = len(_COLORS)
"""Lines of a plot at most."""


class LivePlot:
    """A plot of the latest numbers, which costs nothing while it is off.

    Args:
        gui: The panel; the plot is put into the folder that is open.
        label: Of the checkbox that switches it on.
        title: Of the plot.
        names: Of the lines, of which the first 8 are drawn.

    Attributes:
        folder: Its part of the panel.
    """

    def __init__(self, gui: viser.GuiApi, label: str, title: str, names: Sequence[str]) -> None:
        self._gui, self._title = gui, title
        self._names = tuple(names[:MOST])
        self._rows: deque[list[float]] = deque(maxlen=_KEPT)
        self._drawn = 0.0
        self._plot: Any = None
        self.folder = gui.add_folder(title.capitalize(), expand_by_default=False)
        with self.folder:
            self._box = gui.add_checkbox(label, False)

    @property
    def is_on(self) -> bool:
        """Whether somebody looks."""
        return self._box.value

    def on_switch(self, function: Callable[[bool], object]) -> None:
        """Has a function called with whether it is on, each time it is switched."""

        def switched(_: object) -> None:
            function(self._box.value)

        self._box.on_update(switched)

    def rename(self, names: Sequence[str]) -> None:
        """Begins again with other lines."""
        if tuple(names[:MOST]) != self._names:
            self._names = tuple(names[:MOST])
            self._clear()

    def add(self, simulated: float, values: Callable[[], Sequence[float]]) -> None:
        """Takes a row of numbers, and draws now and then.

        Args:
            simulated: Time of the row [s]; an earlier one than the last begins again.
            values: Called for the numbers if it is on; NaN for none.
        """
        if not self.is_on:
            self._clear()
            return
        if self._rows and simulated < self._rows[-1][0]:
            self._rows.clear()
        self._rows.append([simulated, *values()[: len(self._names)]])
        now = time.monotonic()
        if now - self._drawn > _EVERY:
            self._drawn = now
            self._draw()

    def _clear(self) -> None:
        if self._plot is not None:
            self._plot.remove()
            self._plot = None
        self._rows.clear()

    def _draw(self) -> None:
        data = tuple(np.array(self._rows).T)
        if self._plot is not None:
            self._plot.data = data
            return
        series = [uplot.Series(label="t [s]")] + [
            uplot.Series(label=name, stroke=color, width=2)
            for name, color in zip(self._names, _COLORS, strict=False)
        ]
        with self.folder:
            self._plot = self._gui.add_uplot(
                data,
                tuple(series),
                title=self._title,
                scales={"x": uplot.Scale(time=False)},
                aspect=1.6,
            )
