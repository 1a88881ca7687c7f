# SPDX-License-Identifier: Apache-2.0
"""Depths and geoms in a picture, by rays on every machine, with OpenGL or without."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.engine import mujoco
from deepsim_mujoco.rendering.lens import Lens
from deepsim_mujoco.rendering.paint import Paint
from deepsim_sync import CameraView

from .casting import Array, cast


def measure_depth(
    model: mujoco.MjModel, data: mujoco.MjData, view: CameraView, near: float, far: float
) -> tuple[Array, NDArray[np.int32]]:
    """Casts a ray through the middle of each pixel.

    Args:
        model: Its geom groups are changed during the call.
        data: With the poses of the geoms.
        view: The camera.
        near: Surfaces at a smaller depth are passed [m].
        far: Nothing is met at a greater depth [m].

    Returns:
        (height, width) depths along the optical axis [m], inf where a ray meets nothing, and the
        geoms, -1 there.
    """
    lens = Lens(view)
    rows, columns = np.divmod(np.arange(view.height * view.width), view.width)
    rays = lens.rays(columns + 0.5, rows + 0.5)
    shown = Paint.of(model).alpha > 0.0
    hits = cast(model, data, lens.position, rays, shown, near, far)
    depths = np.where(hits.geoms >= 0, hits.depths, np.inf)
    return depths.reshape(view.height, view.width), hits.geoms.reshape(view.height, view.width)
