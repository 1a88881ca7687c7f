# SPDX-License-Identifier: Apache-2.0
"""Controls for marks and camera pictures."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_viewer.host import Host
from deepsim_viewer.marks import Axes, Colliders, ContactArrows, Labels, LidarRays, Mark
from deepsim_viewer.scene.frame import Frame

_NO_CAMERA = "none"
_EVERY = 0.2  # [s] of wall time between pictures
_PICTURES = frozenset({"camera", "rgbd", "stereo"})


class ShowFolder:
    """A checkbox for each kind of mark, and a list of cameras."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._next = 0.0
        simulator = host.world.simulator
        kinds: list[type[Mark]] = [Axes, Labels, Colliders]
        if simulator.contacts is not None:
            kinds.append(ContactArrows)
        if simulator.sensors is not None:
            kinds.append(LidarRays)
        self._marks = {kind.label: kind(host) for kind in kinds}
        gui = host.server.gui
        self._folder = gui.add_folder("Show", expand_by_default=False)
        with self._folder:
            self._boxes = {label: gui.add_checkbox(label, False) for label in self._marks}
            self._camera: Any = gui.add_dropdown("Camera", self._cameras())
            self._camera.visible = simulator.cameras is not None
        self._picture: Any = None
        for box in self._boxes.values():
            box.on_update(lambda _: host.refresh())
        self._camera.on_update(lambda _: host.refresh())

    def read(self) -> dict[str, Any]:
        """Returns the data of all active marks; called in the world's thread."""
        numbers = {
            label: self._marks[label].read() for label, box in self._boxes.items() if box.value
        }
        now = time.monotonic()
        camera = self._camera.value
        if camera != _NO_CAMERA and now >= self._next and camera in self._cameras():
            self._next = now + _EVERY
            numbers["picture"] = self._host.world.render(camera)
        return numbers

    def show(self, frame: Frame, numbers: Mapping[str, Any]) -> None:
        """Draws the active marks and removes the others."""
        for label, mark in self._marks.items():
            if label in numbers:
                mark.show(frame, numbers[label])
            else:
                mark.hide()
        self._show_picture(numbers.get("picture"))

    def _cameras(self) -> tuple[str, ...]:
        """Returns the names of the camera sensors; called in the world's thread."""
        sensors = self._host.world.simulator.sensors
        infos = sensors.infos if sensors is not None else {}
        return (_NO_CAMERA, *(name for name, info in infos.items() if info.kind in _PICTURES))

    def _show_picture(self, picture: NDArray[np.uint8] | None) -> None:
        if self._camera.value == _NO_CAMERA:
            if self._picture is not None:
                self._picture.remove()
                self._picture = None
        elif picture is not None:
            if self._picture is None:
                with self._folder:
                    self._picture = self._host.server.gui.add_image(picture, format="jpeg")
            else:
                self._picture.image = picture
