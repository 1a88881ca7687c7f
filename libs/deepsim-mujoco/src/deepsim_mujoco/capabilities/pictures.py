# SPDX-License-Identifier: Apache-2.0
"""Pictures and depth measurements of any world, and of all worlds at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Pose, poses
from deepsim_mujoco.imports import mujoco
from deepsim_mujoco.rendering import Camera, measure_depth, open_camera
from deepsim_mujoco.spec.builder import Sensor
from deepsim_mujoco.state.batches import TakesPictures
from deepsim_mujoco.state.layout import Floats, Rows
from deepsim_mujoco.state.single_world import SingleWorld
from deepsim_mujoco.state.world_states import WorldStates
from deepsim_spawn import CameraDescription
from deepsim_sync import (
    CameraMount,
    CameraView,
    DepthPicture,
    Reading,
    StereoPicture,
    UnknownEntityError,
    WorldNumbers,
    stereo_depth,
)

from .appearance import Appearance


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


_NEAR, _FAR = 0.05, 500.0  # nearest and farthest depth that a free camera sees [m]


class Pictures:
    """The pictures of all worlds; see `deepsim_sync.Cameras` and `DepthCameras`."""

    def __init__(self, single: SingleWorld, appearance: Appearance, mounts: SensorMounts) -> None:
        self._single, self._appearance, self._mounts = single, appearance, mounts
        self._of_sensors: Camera | None = None
        self._of_views: Camera | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the camera sensors, ``model::link::sensor``."""
        return self._mounts.names

    def render(self, camera: str | CameraView, world: int = 0) -> NDArray[np.uint8]:
        """Returns a picture of the present instant, (height, width, 3) RGB.

        Pictures of a `CameraView` are for people (see `deepsim_mujoco.rendering.open_camera`),
        those of camera sensors show what the world's description says, and no more. The first
        picture loads OpenGL; on machines without it, rays are cast instead.
        """
        if isinstance(camera, CameraView):
            self._of_views = self._of_views or open_camera(staged=True)
            return self._of_views.render(*self._looking(camera, world))
        self._of_sensors = self._of_sensors or open_camera()
        return self._of_sensors.render(*self._looking(camera, world))

    def view(self, camera: str, world: int = 0) -> CameraView:
        """Returns a free camera that has the present pose and lens of a camera sensor."""
        return self._looking(camera, world)[2]

    def measure(self, camera: str | CameraView, world: int = 0) -> DepthPicture:
        """Returns depths, models and links at each pixel, measured by casting rays."""
        model, data, view, near, far = self._looking(camera, world)
        depth, geoms = measure_depth(model, data, view, near, far)
        return DepthPicture(depth, *self._rows(geoms))

    def read(self, camera: str, quantities: Sequence[str]) -> Reading:
        """Returns what a camera sensor measures in all worlds, (W, height, width, ...)."""
        batch = self._single.states.batch
        if isinstance(batch, TakesPictures):
            return self._read_at_once(batch, camera, quantities)
        found: dict[str, Any] = {}
        worlds = range(self._single.states.worlds)
        if "rgb" in quantities:
            found["rgb"] = np.stack([self.render(camera, world) for world in worlds])
        if "disparity" in quantities:
            pairs = [self._stereo(camera, world) for world in worlds]
            found.update(_stacked(pairs, quantities))
        elif "depth" in quantities or "models" in quantities:
            measured = [self.measure(camera, world) for world in worlds]
            found.update(_stacked(measured, quantities))
        return found

    def _stereo(self, camera: str, world: int) -> StereoPicture:
        """Returns the disparities and depths that a stereo pair measures in one world."""
        model, data, left, near, far = self._looking(camera, world)
        baseline = self._mounts.lens(camera).baseline
        right = replace(left, pose=left.pose @ Pose((0.0, -baseline, 0.0)))
        here, there = (measure_depth(model, data, each, near, far)[0] for each in (left, right))
        return stereo_depth(here, there, float(left.intrinsic[0, 0]), baseline)

    def _read_at_once(
        self, batch: TakesPictures, camera: str, quantities: Sequence[str]
    ) -> Reading:
        """Returns what a camera sensor measures, from pictures that the batch takes."""
        states, lens = self._single.states, self._mounts.lens(camera)
        self._appearance.apply_to_all(states.batch)
        body, frames, angles = self._mounts.placed(camera)
        shots = batch.take_pictures(body, frames, angles, lens)
        found: dict[str, Any] = {"rgb": shots.rgb, "depth": shots.depth}
        if "disparity" in quantities:
            beside = poses.compose(frames, np.array([0, -lens.baseline, 0, 0, 0, 0, 1.0]))
            right = batch.take_pictures(body, beside, angles, lens)
            focal = 0.5 * lens.width / np.tan(0.5 * angles)
            sides = zip(shots.depth, right.depth, focal, strict=True)
            pairs = [stereo_depth(*each, lens.baseline) for each in sides]
            found.update(_stacked(pairs, quantities))
        if "models" in quantities:
            found["models"], found["links"] = self._rows(shots.geoms)
        return {what: found[what] for what in quantities}

    def _rows(self, geoms: NDArray[np.int32]) -> tuple[Rows, Rows]:
        """Returns the rows of the models and the links of geoms; -1 for none."""
        compiled = self._single.states.compiled
        models, links = compiled.body_rows[:, np.append(compiled.model.geom_bodyid, -1)[geoms]]
        return models, links

    def _looking(
        self, camera: str | CameraView, world: int
    ) -> tuple[mujoco.MjModel, mujoco.MjData, CameraView, float, float]:
        """Returns a world's present state, the view, and its nearest and farthest depth [m]."""
        model, data = self._single.load(world)
        mujoco.mj_kinematics(model, data)
        self._appearance.apply(model, world)
        mujoco.mj_camlight(model, data)  # updates the poses of the lights
        if isinstance(camera, CameraView):
            return model, data, camera, _NEAR, _FAR
        return (model, data, *self._mounts.view(camera, world, data))

    def close(self) -> None:
        """Frees the OpenGL contexts, if there are any."""
        for camera in (self._of_sensors, self._of_views):
            if camera is not None:
                camera.close()
        self._of_sensors = self._of_views = None


def _stacked(
    pictures: Sequence[DepthPicture | StereoPicture], quantities: Sequence[str]
) -> Reading:
    """Returns some of the fields of pictures, with a leading axis of pictures."""
    fields = zip(pictures[0]._fields, zip(*pictures, strict=True), strict=True)
    return {field: np.stack(values) for field, values in fields if field in quantities}
