# SPDX-License-Identifier: Apache-2.0
"""Controls for the time of a world, and for recordings, pictures and films of it."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import viser
from PIL import Image

from deepsim_sync.temporary_folders import make_temporary_folder, remove_temporary_folder
from deepsim_viewer.control import Control
from deepsim_viewer.host import Host
from deepsim_viewer.recording.world_recorder import WorldRecorder

_SPEEDS: dict[str, float | None] = {
    "1/16 x": 1 / 16, "1/4 x": 1 / 4, "1/2 x": 1 / 2, "1 x": 1.0, "2 x": 2.0, "4 x": 4.0,
    "8 x": 8.0, "as fast as it goes": None,
}  # fmt: skip
_EVERY = 0.25  # [s] of wall time between updates of the text
_RATE = 20.0  # largest number of frames of a film per second of wall time [Hz]
_WIDEST = 800  # width of a film [pixels]
_LONGEST = 30.0  # duration of a film [s] of wall time
_PATIENCE = 30.0  # [s] of wall time for which a picture is waited for


class RunFolder:
    """The controls for the time of a world.

    Args:
        gui: The panel.
        control: Pauses and steps the world, and limits its speed.
        reset: Resets the world with a seed; callable from any thread.
        label: The head of the panel, which also shows a pause when the panel is closed.
    """

    def __init__(
        self, gui: viser.GuiApi, control: Control, reset: Callable[[int], object], label: str
    ) -> None:
        self._gui, self._control, self._reset, self._label = gui, control, reset, label
        self._paused = False
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
        self._seed = gui.add_number("Seed", 0, min=0, max=2**31 - 1, step=1)
        again = gui.add_button("Reset", icon=viser.Icon.REFRESH)

        self._play.on_click(lambda _: self.toggle())
        step.on_click(lambda _: self.step())
        again.on_click(lambda _: self.reset())

        @speed.on_update
        def _(_: object) -> None:
            control.speed = _SPEEDS[speed.value]

    def toggle(self) -> None:
        """Pauses or resumes the world."""
        if self._control.paused:
            self._control.resume()
        else:
            self._control.pause()
        self._show_paused()

    def step(self) -> None:
        """Lets the world make one tick and pauses it."""
        self._control.step()
        self._show_paused()

    def reset(self) -> None:
        """Resets the world with the chosen seed."""
        self._reset(int(self._seed.value))

    def show(self, simulated: float) -> None:
        """Shows a simulated time [s], and the ratio of simulated to wall time."""
        self._show_paused()  # code may have paused the world
        wall = time.monotonic()
        passed = wall - self._last[0]
        if self._control.paused:
            self._last = (wall, simulated)
        elif passed >= _EVERY:
            factor = max(0.0, simulated - self._last[1]) / passed
            self._last = (wall, simulated)
            self._status.content = plain_lines(f"{simulated:.2f} s · {factor:.2f} x real time")

    def _show_paused(self) -> None:
        paused = self._control.paused
        if paused:
            self._status.content = plain_lines(f"{self._last[1]:.2f} s · paused")
        if paused != self._paused:
            self._paused = paused
            self._gui.set_panel_label(f"{self._label} · paused" if paused else self._label)
        self._play.label = "Play" if paused else "Pause"
        self._play.icon = viser.Icon.PLAYER_PLAY if paused else viser.Icon.PLAYER_PAUSE


def plain_lines(*lines: str) -> str:
    """Returns lines of text as HTML, escaping markup."""
    text = "<br>".join(map(escape, lines))
    return f'<div style="font-size:.875em;line-height:1.5;padding:0 1em">{text}</div>'


class RecordFolder:
    """A button that starts a recording, and stops it at the next press.

    It records the worlds that are shown.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._recorder: WorldRecorder | None = None
        self._folder: Path | None = None
        self._button: Any = host.server.gui.add_button("Record", icon=viser.Icon.PLAYER_RECORD)
        self._button.on_click(lambda event: host.post(lambda: self._toggle(event.client)))

    def close(self) -> None:
        """Stops and discards a recording in progress."""
        if self._recorder is not None:
            self._recorder.close()
            self._recorder = None
        if self._folder is not None:
            remove_temporary_folder(self._folder)
            self._folder = None

    def _toggle(self, client: viser.ClientHandle | None) -> None:
        if self._recorder is None:
            self._folder = make_temporary_folder("deepsim-viewer-")
            path = self._folder / "recording.mcap"
            self._recorder = WorldRecorder(self._host.world, path, shown=len(self._host.offsets))
            self._button.label = "Stop recording"
            self._button.icon = viser.Icon.PLAYER_STOP
            return
        path = self._recorder.path
        self._recorder.close()
        if client is not None:
            client.send_file_download(path.name, path.read_bytes(), save_immediately=True)
        self.close()
        self._button.label = "Record"
        self._button.icon = viser.Icon.PLAYER_RECORD


class CaptureFolder:
    """Buttons that download a picture or a film of what one browser shows.

    The browser draws them itself, so that they have all worlds and marks, on any engine, and a
    server needs no OpenGL. A film is of wall time, with at most 20 frames per second, and ends at
    the next press of its button, or after 30 s.

    Args:
        gui: The panel.
    """

    def __init__(self, gui: viser.GuiApi) -> None:
        self._stop = threading.Event()
        self._filming = threading.Lock()
        picture = gui.add_button("Picture", icon=viser.Icon.CAMERA)
        self._film: Any = gui.add_button("Film", icon=viser.Icon.VIDEO)
        picture.on_click(self._take_picture)
        self._film.on_click(self._toggle)

    def close(self) -> None:
        """Ends a film in progress."""
        self._stop.set()

    def _take_picture(self, event: Any) -> None:
        camera = event.client.camera
        image = _drawn(event.client, camera.image_width, camera.image_height)
        _send(event.client, "view.png", [image], [])

    def _toggle(self, event: Any) -> None:
        """Starts a film, or stops the one that another thread takes."""
        if not self._filming.acquire(blocking=False):
            self._stop.set()
            return
        try:
            self._stop.clear()
            self._film.label, self._film.icon = "Stop film", viser.Icon.PLAYER_STOP
            frames, ends = self._frames(event.client)
            self._film.label = "Writing the film"
            _send(event.client, "view.webp", frames, ends)
        finally:
            self._film.label, self._film.icon = "Film", viser.Icon.VIDEO
            self._filming.release()

    def _frames(self, client: viser.ClientHandle) -> tuple[list[Image.Image], list[float]]:
        """Returns the frames of a film, and the time at which each one ends [s]."""
        camera = client.camera
        width = min(_WIDEST, camera.image_width)
        height = round(width / camera.aspect)
        frames, ends, start = [], [0.0], time.monotonic()
        while not self._stop.is_set() and ends[-1] < _LONGEST:
            frames.append(_drawn(client, width, height))
            self._stop.wait(start + ends[-1] + 1.0 / _RATE - time.monotonic())
            ends.append(time.monotonic() - start)
            self._film.label = f"Stop film ({ends[-1]:.1f} s)"
        return frames, ends[1:]


def _drawn(client: viser.ClientHandle, width: int, height: int) -> Image.Image:
    """Returns what a browser draws of its view, without the panel."""
    return Image.fromarray(client.get_render(height, width, timeout=_PATIENCE))


def _send(
    client: viser.ClientHandle, name: str, frames: list[Image.Image], ends: list[float]
) -> None:
    """Lets a browser download frames as a picture or, with the time when each ends [s], a film."""
    first, *others = frames
    film: dict[str, Any] = {}
    if ends:
        durations = np.diff(np.rint(1000.0 * np.array([0.0, *ends]))).astype(int).tolist()
        film = {"save_all": True, "append_images": others, "duration": durations, "loop": 0}
    file = io.BytesIO()
    first.save(file, name.rpartition(".")[2], quality=70, method=2, **film)
    client.send_file_download(name, file.getvalue(), save_immediately=True)
