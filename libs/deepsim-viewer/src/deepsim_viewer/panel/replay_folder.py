# SPDX-License-Identifier: Apache-2.0
"""Controls for a replay: play, pause, speed and time."""

from __future__ import annotations

from typing import Any

import viser

_SPEEDS = {"1/16 x": 1 / 16, "1/4 x": 1 / 4, "1 x": 1.0, "2 x": 2.0, "8 x": 8.0, "32 x": 32.0}


class ReplayFolder:
    """The controls for a replay.

    Args:
        gui: The panel.
        start: Time of the first frame [s].
        end: Time of the last frame [s].

    Attributes:
        playing: Whether time advances.
        time: The time shown [s].
    """

    def __init__(self, gui: viser.GuiApi, start: float, end: float) -> None:
        self.playing = True
        self.time = start
        self._start, self._end = start, end
        self._button = gui.add_button("Pause", icon=viser.Icon.PLAYER_PAUSE)
        self._speed = gui.add_dropdown("Speed", tuple(_SPEEDS), initial_value="1 x")
        self._slider: Any = gui.add_slider("Time [s]", start, max(end, start + 0.01), 0.01, start)
        self._button.on_click(lambda _: self._toggle())
        self._slider.on_update(self._scrub)

    @property
    def speed(self) -> float:
        """Recorded seconds per second of wall time."""
        return _SPEEDS[self._speed.value]

    def pass_time(self, wall: float) -> None:
        """Advances the recording by a wall time [s], at the chosen speed, and pauses at its end."""
        if self.playing:
            self.time = min(self.time + wall * self.speed, self._end)
            if self.time >= self._end:
                self.playing = False
        self._slider.value = round(self.time, 2)
        self._button.label = "Pause" if self.playing else "Play"
        self._button.icon = viser.Icon.PLAYER_PAUSE if self.playing else viser.Icon.PLAYER_PLAY

    def _toggle(self) -> None:
        if not self.playing and self.time >= self._end:
            self.time = self._start
        self.playing = not self.playing

    def _scrub(self, event: viser.GuiEvent[viser.GuiSliderHandle[float]]) -> None:
        if event.client is not None:  # a browser, not `pass_time`
            self.time = float(event.target.value)
