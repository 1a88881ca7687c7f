# SPDX-License-Identifier: Apache-2.0
"""The protocol of all cameras."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.engine import mujoco
from deepsim_sync import CameraView


class Camera(Protocol):
    """Takes pictures of any model from anywhere; it keeps what makes the next picture cheap."""

    def render(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        view: CameraView,
        near: float,
        far: float,
    ) -> NDArray[np.uint8]:
        """A picture of the present state.

        Args:
            model: May be another one than last time.
            data: The poses of geoms and lights are up to date (``mj_kinematics`` and
                ``mj_camlight``, or any step).
            view: Where the camera is, where it looks, and the size of the picture.
            near: Nearest visible depth [m], > 0.
            far: Farthest visible depth [m], > near.

        Returns:
            (height, width, 3) RGB, a new array.
        """
        ...

    def close(self) -> None:
        """Frees what the camera holds; calling it again does nothing."""
        ...
