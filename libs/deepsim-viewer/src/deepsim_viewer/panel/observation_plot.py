# SPDX-License-Identifier: Apache-2.0
"""The observations of an agent over simulated time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import viser
from numpy.typing import NDArray

from .live_plot import MOST, LivePlot


class ObservationPlot:
    """A plot of eight numbers of the observation of one agent, from a chosen one on.

    Args:
        gui: The panel.
        slots: The agents.
    """

    def __init__(self, gui: viser.GuiApi, slots: Sequence[str]) -> None:
        self._plot = LivePlot(gui, "Plot the observations", "observations", ())
        with self._plot.folder:
            self._slot: Any = gui.add_dropdown("Observer", tuple(slots))
            self._first = gui.add_number("From number", 0, min=0, step=1)

    def add(self, simulated: float, observations: Mapping[str, Any]) -> None:
        """Takes the observations of a step.

        Args:
            simulated: Time of the step [s].
            observations: By agent; agents that are done have none.
        """
        if not self._plot.is_on:
            self._plot.add(simulated, tuple)
        elif self._slot.value in observations:
            first = int(self._first.value)
            numbers = _numbers(observations[self._slot.value])[first : first + MOST].tolist()
            self._plot.rename([f"[{first + place}]" for place in range(len(numbers))])
            self._plot.add(simulated, lambda: numbers)


def _numbers(observation: Any) -> NDArray[np.float64]:
    """All numbers of an observation in one row, those of its parts one after the other."""
    if isinstance(observation, Mapping):
        observation = tuple(observation.values())
    if isinstance(observation, tuple):
        parts = [_numbers(part) for part in observation]
        return np.concatenate(parts) if parts else np.zeros(0)
    array = np.asarray(observation)
    return array.astype(np.float64).ravel() if array.dtype.kind in "biuf" else np.zeros(0)
