# SPDX-License-Identifier: Apache-2.0
"""The camera sensors of all models: where they look from, and with which lens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from deepsim_math import Pose
from deepsim_sync import CameraMount, CameraView, UnknownEntityError

from .builder import Built, Sensor


class CameraSensors:
    """Camera sensors by name, and those among them that are mounted other than described."""

    def __init__(self) -> None:
        self._sensors: dict[str, Sensor] = {}
        self._mounts: dict[str, CameraMount] = {}

    def follow(self, built: Sequence[Built]) -> None:
        """Takes up the cameras of all present models, and forgets those that are gone."""
        self._sensors = {name: each for one in built for name, each in one.cameras.items()}
        self._mounts = {name: m for name, m in self._mounts.items() if name in self._sensors}

    def reset(self) -> None:
        """Mounts all cameras as described."""
        self._mounts.clear()

    def get_state(self) -> dict[str, CameraMount]:
        """The mounts of those that are mounted anew."""
        return self._mounts.copy()

    def set_state(self, mounts: Mapping[str, CameraMount]) -> None:
        """Mounts these cameras anew, and all others as described.

        Raises:
            ValueError: There is no such camera; nothing was changed.
        """
        for camera in mounts:
            if camera not in self._sensors:
                raise ValueError(f"the state has a camera {camera!r}: it is one of other models")
        self._mounts = dict(mounts)

    @property
    def names(self) -> tuple[str, ...]:
        """``model::link::sensor`` of each."""
        return tuple(self._sensors)

    def mount(self, camera: str) -> CameraMount:
        """How a camera is mounted now."""
        return self._mounts.get(camera) or self.described(camera)

    def described(self, camera: str) -> CameraMount:
        """How its model's description mounts it."""
        sensor = self._sensor(camera)
        return CameraMount(sensor.pose, sensor.camera.horizontal_fov)

    def set_mount(self, camera: str, mount: CameraMount) -> None:
        """Mounts a camera anew."""
        self._sensor(camera)
        self._mounts[camera] = mount.checked(camera)

    def view(
        self, camera: str, link_pose: Callable[[str], Pose]
    ) -> tuple[CameraView, float, float]:
        """What a camera sees now, with its nearest and farthest depth [m].

        Args:
            camera: Its name.
            link_pose: Where a link is in the world.
        """
        sensor, mount = self._sensor(camera), self.mount(camera)
        lens = sensor.camera
        pose = link_pose(sensor.link) @ mount.pose
        view = CameraView(pose, mount.horizontal_fov, lens.width, lens.height)
        return view, lens.near, lens.far

    def _sensor(self, camera: str) -> Sensor:
        if camera not in self._sensors:
            raise UnknownEntityError("camera", camera, self._sensors)
        return self._sensors[camera]
