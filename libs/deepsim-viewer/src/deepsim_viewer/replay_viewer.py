# SPDX-License-Identifier: Apache-2.0
"""A view of a recording."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import viser
from numpy.typing import NDArray

from .access import AccessControl
from .follow import FollowedModel
from .joint import GuardedServer, mended
from .panel.run_folder import CaptureFolder
from .panel.selection_folder import ModelChoice
from .scene.frame import Frame
from .scene.scene import Scene

_PERIOD = 1.0 / 30.0  # [s] of wall time between frames
_LONGEST = 60.0  # largest duration of a page [s]


class Replayable(Protocol):
    """Frames over time that `ReplayViewer` shows, such as those of a `Recording`.

    >>> from deepsim_viewer import Recording
    >>> shown: type[Replayable] = Recording
    """

    @property
    def path(self) -> Path:
        """The file, which gives the page its title."""

    @property
    def metadata(self) -> Mapping[str, str]:
        """Texts by name; ``follow`` names the model to follow."""

    @property
    def times(self) -> NDArray[np.float64]:
        """Times of the frames, (n,) [s], ascending."""

    def frame(self, time: float) -> Frame:
        """Returns the frame at a time [s]."""
        ...

    def pictures(self, time: float) -> Mapping[str, NDArray[np.uint8]]:
        """Returns the latest picture of each camera at a time [s], (h, w, 3) RGB, by name."""
        ...


class ReplayViewer(AbstractContextManager["ReplayViewer"]):
    """A viewer of a recording in the browser, without a simulator.

    >>> from deepsim_mujoco import MujocoSimulator
    >>> from deepsim_sync import World
    >>> from deepsim_viewer import Recording, WorldRecorder
    >>> world = World(MujocoSimulator())
    >>> with WorldRecorder(world, "run.mcap"):
    ...     world.tick()
    >>> with ReplayViewer(Recording("run.mcap"), port=0) as viewer:
    ...     address = viewer.url  # the page has play, pause, speed and scrubbing

    `viewer.wait()` blocks until the viewer is closed.

    Args:
        recording: The recording; its pictures are shown in the panel.
        port: The TCP port on 127.0.0.1; 0 for any free port.
        spacing: Distance between the worlds in the grid [m]; by default chosen to suit their size,
            and 0 on a landscape.
        shadows: Whether the first directional light casts shadows.
        label: The title of the page; by default the name of the file.
        follow: The model that the view is centred on and follows, as in `Viewer`; by default the
            one named by ``follow`` in the recording's metadata, if any.

    Attributes:
        recording: The recording.
        scene: The meshes in the browser.
        server: The viser server.
        url: The address of the page, including the required token.

    Raises:
        OSError: The port is in use.
    """

    def __init__(
        self,
        recording: Replayable,
        *,
        port: int = 8080,
        spacing: float | None = None,
        shadows: bool = True,
        label: str | None = None,
        follow: str | None = None,
    ) -> None:
        self.recording = recording
        access = AccessControl(port)
        self.server = GuardedServer(access, label if label is not None else recording.path.stem)
        self.url = access.url
        self._closed = threading.Event()
        start, end = float(recording.times[0]), float(recording.times[-1])
        try:
            frame, follow = recording.frame(start), follow or recording.metadata.get("follow")
            self.scene = Scene(
                self.server, frame, spacing, self._select, shadows=shadows, focus=follow
            )
            self._replay = ReplayFolder(self.server.gui, start, end)
            self._capture = CaptureFolder(self.server.gui)
            self._pictures = PictureFolder(self.server.gui, recording, start)
            with self.server.gui.add_folder("Model"):
                self._choice = ModelChoice(self.server.gui, frame, follow, lambda: None)
            self._followed = FollowedModel(self.server, self.scene.offsets, frame, follow)
            self.server.keyboard.presses.update(
                pause=self._replay.toggle,
                step=self._replay.step,
                reset=self._replay.restart,
                follow=self._choice.toggle_following,
                undo=lambda: None,  # nothing is edited
            )
        except BaseException:
            self.server.stop()
            raise
        self._thread = threading.Thread(target=self._play, name="deepsim-replay", daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Blocks until the viewer is closed or interrupted."""
        while not self._closed.wait(1.0):
            pass

    def close(self) -> None:
        """Closes all connections and the port; repeated calls have no effect."""
        self._closed.set()
        self._capture.close()
        self._thread.join()
        self.server.stop()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _play(self) -> None:
        last, loop = time.monotonic(), self.server.get_event_loop()
        shown: tuple[float, str | None, int] | None = None
        while not self._closed.wait(_PERIOD):
            now = time.monotonic()
            # On the server's loop, like the controls, so that it never overwrites an unread one.
            loop.call_soon_threadsafe(self._replay.pass_time, now - last)
            last = now
            chosen = self._replay.time, self._choice.model, self._choice.world
            frame = self.recording.frame(chosen[0])
            with self.server.atomic():
                if chosen != shown:
                    self.scene.show(frame)
                    self.scene.mark(*chosen[1:])
                self._followed.show(frame, *self._choice.followed)
            self._pictures.show(chosen[0])
            self._choice.show(frame)
            shown = chosen

    def _select(self, model: str, world: int) -> None:
        self._choice.choose(model, world)


def recording_page(
    recording: Replayable, *, rate: float = 30.0, spacing: float | None = None, shadows: bool = True
) -> str:
    """Returns a recording as a single HTML page with a player, which needs no server.

    Args:
        recording: The recording, of which the page contains the first 60 s.
        rate: Frames per second [Hz].
        spacing: Distance between the worlds in the grid [m]; by default chosen to suit their size,
            and 0 on a landscape.
        shadows: Whether the first directional light casts shadows.

    Raises:
        ValueError: `rate` is not > 0.
    """
    if not rate > 0.0:
        raise ValueError(f"rate must be > 0 Hz, got {rate}")
    server = GuardedServer(AccessControl(), recording.path.stem)
    try:
        start, duration = float(recording.times[0]), float(np.ptp(recording.times))
        scene = Scene(server, recording.frame(start), spacing, lambda *_: None, shadows=shadows)
        page = server.get_scene_serializer()
        for number in range(int(min(duration, _LONGEST) * rate) + 1):
            scene.show(recording.frame(start + number / rate))
            page.insert_sleep(1.0 / rate)
        return mended(page.as_html(), recording.path.stem)
    finally:
        server.stop()


class PictureFolder:
    """The pictures of a recording's cameras.

    Args:
        gui: The panel, which gets no folder without pictures.
        recording: The recording.
        start: Time of the first frame [s].
    """

    def __init__(self, gui: viser.GuiApi, recording: Replayable, start: float) -> None:
        self._recording = recording
        self._shown: dict[str, NDArray[np.uint8]] = dict(recording.pictures(start))
        self._images: dict[str, Any] = {}
        if self._shown:
            with gui.add_folder("Cameras"):
                for name, picture in self._shown.items():
                    self._images[name] = gui.add_image(picture, label=name, format="jpeg")

    def show(self, time: float) -> None:
        """Shows the pictures of a time [s]."""
        if self._images:
            for name, picture in self._recording.pictures(time).items():
                if picture is not self._shown[name]:
                    self._shown[name] = self._images[name].image = picture


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
        self._button.on_click(lambda _: self.toggle())
        self._slider.on_update(self._scrub)

    def pass_time(self, wall: float) -> None:
        """Advances the recording by a wall time [s], at the chosen speed, and pauses at its end."""
        if self.playing:
            self.time = min(self.time + wall * _SPEEDS[self._speed.value], self._end)
            if self.time >= self._end:
                self.playing = False
        self._slider.value = round(self.time, 2)
        self._button.label = "Pause" if self.playing else "Play"
        self._button.icon = viser.Icon.PLAYER_PAUSE if self.playing else viser.Icon.PLAYER_PLAY

    def toggle(self) -> None:
        """Pauses or plays; at the end, it plays from the start."""
        if not self.playing and self.time >= self._end:
            self.time = self._start
        self.playing = not self.playing

    def step(self) -> None:
        """Pauses 1/30 s later."""
        self.playing = False
        self.time = min(self.time + _PERIOD, self._end)

    def restart(self) -> None:
        """Goes back to the first frame."""
        self.time = self._start

    async def _scrub(self, event: viser.GuiEvent[viser.GuiSliderHandle[float]]) -> None:
        if event.client is not None:  # a browser, not `pass_time`
            self.time = float(event.target.value)
