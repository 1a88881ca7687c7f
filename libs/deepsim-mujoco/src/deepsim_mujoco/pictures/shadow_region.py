# SPDX-License-Identifier: Apache-2.0
"""The part of the world in which OpenGL draws shadows."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.engine import mujoco

from .lens import Lens
from .paint import VISUAL_GROUP

_WIDER = 3.0  # than what is seen at the distance of the centre of the picture
_VISIBLE = (np.arange(mujoco.mjNGROUP) == VISUAL_GROUP).astype(np.uint8)


def shadow_region(
    model: mujoco.MjModel, data: mujoco.MjData, lens: Lens, far: float
) -> tuple[NDArray[np.float64], float]:
    """A ball around what the picture is about, where a shadow map is worth its texels.

    Around the world's origin, as MuJoCo has it, shadows are coarse in a large world and missing
    in a far corner of it.

    Args:
        model: Of the world.
        data: With the poses of the geoms.
        lens: The camera.
        far: Farthest visible depth [m].

    Returns:
        Centre (3,) in the world frame [m] and radius [m].
    """
    hit = np.empty(1, np.int32)
    depth = mujoco.mj_ray(model, data, lens.position, lens.forward, _VISIBLE, True, -1, hit)
    if hit[0] < 0 or depth > far:
        depth = min(model.stat.extent, far)
    # In coarse steps, so that shadows do not creep when something moves through the centre.
    depth = 2.0 ** (round(2 * math.log2(max(depth, 1e-3))) / 2)
    radius = _WIDER * depth * math.hypot(lens.half_width, lens.half_height)
    return lens.position + depth * lens.forward, radius
