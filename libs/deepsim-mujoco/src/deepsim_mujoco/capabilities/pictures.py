# SPDX-License-Identifier: Apache-2.0
"""Pictures of any world."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.engine import mujoco
from deepsim_mujoco.rendering import Camera, open_camera
from deepsim_mujoco.state.single_world import SingleWorld
from deepsim_sync import CameraView

from .appearance import Appearance
from .camera_mounts import SensorMounts

_NEAR, _FAR = 0.05, 500.0  # [m] what a free camera sees


class Pictures:
    """Draws worlds, one at a time; see `deepsim_sync.Cameras`.

    Args:
        single: Where a world is looked at.
        appearance: The colours of all worlds.
        mounts: The camera sensors.
    """

    def __init__(self, single: SingleWorld, appearance: Appearance, mounts: SensorMounts) -> None:
        self._single, self._appearance, self._mounts = single, appearance, mounts
        self._camera: Camera | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the camera sensors, ``model::link::sensor``."""
        return self._mounts.names

    def render(self, camera: str | CameraView, world: int = 0) -> NDArray[np.uint8]:
        """Takes a picture at the present instant, (height, width, 3) RGB.

        OpenGL is loaded at the first picture; on machines without it, rays are cast instead.

        Raises:
            UnknownEntityError: No camera sensor has the name.
        """
        if self._camera is None:
            self._camera = open_camera()
        model, data = self._single.load(world)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_camlight(model, data)
        self._appearance.apply(model, world)
        if isinstance(camera, CameraView):
            view, near, far = camera, _NEAR, _FAR
        else:
            view, near, far = self._mounts.view(camera, world, data)
        return self._camera.render(model, data, view, near, far)

    def close(self) -> None:
        """Frees the OpenGL context, if there is one."""
        if self._camera is not None:
            self._camera.close()
            self._camera = None
