# SPDX-License-Identifier: Apache-2.0
"""Controls for the time of a world: play, pause, step, reset and speed."""

from __future__ import annotations

import time
from collections.abc import Callable

import viser

from deepsim_viewer.control import Control

from .plain_lines import plain_lines

_SPEEDS: dict[str, float | None] = {
    "1/16 x": 1 / 16, "1/4 x": 1 / 4, "1/2 x": 1 / 2, "1 x": 1.0, "2 x": 2.0, "4 x": 4.0,
    "8 x": 8.0, "as fast as it goes": None,
}  # fmt: skip
_EVERY = 0.25  # [s] of wall time between updates of the text


class RunFolder:
    """The controls for the time of a world.

    Args:
        gui: The panel.
        control: Pauses and steps the world, and limits its speed.
        reset: Resets the world with a seed; callable from any thread.
    """

    def __init__(self, gui: viser.GuiApi, control: Control, reset: Callable[[int], object]) -> None:
        self._control = control
        self._last = (0.0, 0.0)  # wall and simulated time of the last update
        # Not Markdown, which the page would compile and cache for each new text.
        self._status = gui.add_html("")
        self._play = gui.add_button("Pause", icon=viser.Icon.PLAYER_PAUSE)
        step = gui.add_button("Step", icon=viser.Icon.PLAYER_TRACK_NEXT)
        names = [name for name, speed in _SPEEDS.items() if speed == control.speed]
        speed = gui.add_dropdown(
            "Speed",
            tuple(_SPEEDS),
            initial_value=names[0] if names else "as fast as it goes",
            visible=control.has_speed,
        )
        seed = gui.add_number("Seed", 0, min=0, max=2**31 - 1, step=1)
        again = gui.add_button("Reset", icon=viser.Icon.REFRESH)

        @self._play.on_click
        def _(_: object) -> None:
            if control.paused:
                control.resume()
            else:
                control.pause()
            self._show_paused()

        @step.on_click
        def _(_: object) -> None:
            control.step()
            self._show_paused()

        @speed.on_update
        def _(_: object) -> None:
            control.speed = _SPEEDS[speed.value]

        @again.on_click
        def _(_: object) -> None:
            reset(int(seed.value))

    def show(self, simulated: float) -> None:
        """Shows a simulated time [s], and the ratio of simulated to wall time."""
        self._show_paused()  # code may have paused the world
        wall = time.monotonic()
        passed = wall - self._last[0]
        if passed < _EVERY:
            return
        factor = max(0.0, simulated - self._last[1]) / passed
        self._last = (wall, simulated)
        self._status.content = plain_lines(f"{simulated:.2f} s · {factor:.2f} x real time")

    def _show_paused(self) -> None:
        paused = self._control.paused
        self._play.label = "Play" if paused else "Pause"
        self._play.icon = viser.Icon.PLAYER_PLAY if paused else viser.Icon.PLAYER_PAUSE
