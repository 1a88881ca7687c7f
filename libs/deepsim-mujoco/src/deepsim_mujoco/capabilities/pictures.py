# SPDX-License-Identifier: Apache-2.0
"""Pictures and depth measurements of any world."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Pose
from deepsim_mujoco.imports import mujoco
from deepsim_mujoco.rendering import Camera, measure_depth, open_camera
from deepsim_mujoco.state.single_world import SingleWorld
from deepsim_sync import CameraView, DepthPicture, StereoPicture, stereo_depth

from .appearance import Appearance
from .camera_mounts import SensorMounts

_NEAR, _FAR = 0.05, 500.0  # nearest and farthest depth that a free camera sees [m]


class Pictures:
    """The pictures of all worlds, one at a time; see `deepsim_sync.Cameras` and `DepthCameras`."""

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
        rows = self._single.states.compiled.body_rows
        models, links = rows[:, np.append(model.geom_bodyid, -1)[geoms]]
        return DepthPicture(depth, models, links)

    def stereo(self, camera: str, baseline: float, world: int = 0) -> StereoPicture:
        """Returns the disparities and depths that a stereo pair measures.

        Args:
            camera: Name of the sensor that is the left camera.
            baseline: Distance to the right camera [m].
            world: Number of the world.
        """
        model, data, left, near, far = self._looking(camera, world)
        right = replace(left, pose=left.pose @ Pose((0.0, -baseline, 0.0)))
        here, there = (measure_depth(model, data, each, near, far)[0] for each in (left, right))
        return stereo_depth(here, there, float(left.intrinsic[0, 0]), baseline)

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
