# SPDX-License-Identifier: Apache-2.0
"""The mounts of camera sensors in each world."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from deepsim_math import Pose
from deepsim_mujoco.imports import mujoco
from deepsim_mujoco.spec.builder import Sensor
from deepsim_mujoco.state.layout import Floats
from deepsim_mujoco.state.world_states import WorldStates
from deepsim_spawn import CameraDescription
from deepsim_sync import CameraMount, CameraView, UnknownEntityError, WorldNumbers


class SensorMounts:
    """Camera sensors and their mounts; see `deepsim_sync.CameraMounts`."""

    def __init__(self, states: WorldStates) -> None:
        self._states = states
        self._mounts: dict[tuple[str, int], CameraMount] = {}

    def drop_deleted(self) -> None:
        """Drops the mounts of cameras that no longer exist."""
        self._mounts = {key: m for key, m in self._mounts.items() if key[0] in self._cameras}

    def reset(self, worlds: WorldNumbers | None) -> None:
        """Restores the described mounts of all cameras in some worlds."""
        if self._mounts:
            gone = set(range(self._states.worlds) if worlds is None else worlds.tolist())
            self._mounts = {key: m for key, m in self._mounts.items() if key[1] not in gone}

    def get_state(self) -> dict[tuple[str, int], CameraMount]:
        """Returns the mounts that differ from their descriptions, by camera and world."""
        return self._mounts.copy()

    def check_state(self, mounts: Mapping[tuple[str, int], CameraMount]) -> None:
        """Raises ValueError if the state has an unknown camera."""
        for camera, _ in mounts:
            if camera not in self._cameras:
                raise ValueError(f"the state has a camera {camera!r}: it belongs to other models")

    def set_state(self, mounts: Mapping[tuple[str, int], CameraMount]) -> None:
        """Restores the result of `get_state`."""
        self._mounts = dict(mounts)

    @property
    def _cameras(self) -> Mapping[str, Sensor]:
        return self._states.compiled.cameras

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the cameras, ``model::link::sensor``."""
        return tuple(self._cameras)

    def get(self, camera: str, world: int = 0) -> CameraMount:
        """Returns the present mount of a camera."""
        return self._mounts.get((camera, world)) or self.described(camera)

    def described(self, camera: str) -> CameraMount:
        """Returns the mount in the model's description."""
        sensor = self._sensor(camera)
        return CameraMount(sensor.pose, sensor.camera.horizontal_fov)

    def set(self, camera: str, mount: CameraMount, worlds: WorldNumbers | None = None) -> None:
        """Mounts a camera in some worlds, until they are reset."""
        self._sensor(camera)
        checked = mount.checked(camera)
        for world in range(self._states.worlds) if worlds is None else np.asarray(worlds).tolist():
            self._mounts[camera, world] = checked

    def view(self, camera: str, world: int, data: mujoco.MjData) -> tuple[CameraView, float, float]:
        """Returns the present view of a camera, and its nearest and farthest depth [m]."""
        sensor, mount = self._sensor(camera), self.get(camera, world)
        body, lens = data.body(sensor.link), sensor.camera
        turn = np.roll(body.xquat, -1)  # MuJoCo's quaternions are w x y z
        pose = Pose.from_array(np.concatenate([body.xpos, turn])) @ sensor.link_pose @ mount.pose
        view = CameraView(pose, mount.horizontal_fov, lens.width, lens.height)
        return view, lens.near, lens.far

    def placed(self, camera: str) -> tuple[int, Floats, Floats]:
        """Returns the body of a camera, and how it is mounted in all worlds.

        Returns:
            Number of the body, poses in its frame, (W, 7), and angles of view, (W,) [rad].
        """
        sensor = self._sensor(camera)

        def row(mount: CameraMount) -> Floats:
            return np.append(sensor.link_pose @ mount.pose, mount.horizontal_fov)

        rows = np.tile(row(self.described(camera)), (self._states.worlds, 1))
        for (name, world), mount in self._mounts.items():
            if name == camera:
                rows[world] = row(mount)
        return self._states.compiled.layout.bodies[sensor.link], rows[:, :7], rows[:, 7]

    def lens(self, camera: str) -> CameraDescription:
        """Returns the lens in the model's description."""
        return self._sensor(camera).camera

    def _sensor(self, camera: str) -> Sensor:
        if camera not in self._cameras:
            raise UnknownEntityError("camera", camera, self._cameras)
        return self._cameras[camera]
