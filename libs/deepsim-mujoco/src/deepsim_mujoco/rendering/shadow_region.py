# SPDX-License-Identifier: Apache-2.0
"""The part of the world in which OpenGL draws shadows."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.engine import mujoco

from .lens import Lens
from .paint import Paint
from .rays.casting import cast

_WIDER = 3.0  # than the view at the distance of the centre of the picture


def shadow_region(
    model: mujoco.MjModel, data: mujoco.MjData, lens: Lens, near: float
) -> tuple[NDArray[np.float64], float]:
    """Returns a ball around the centre of the picture; only there shadows have a map.

    Around the world's origin, as MuJoCo has it, shadows are coarse in a large world and missing
    in a far corner of it.

    Args:
        model: Compiled model of the world.
        data: With the poses of the geoms.
        lens: The camera.
        near: Nearest visible depth [m].

    Returns:
        Centre (3,) in the world frame [m] and radius [m].
    """
    limit = max(float(model.stat.extent), near)
    axis, opaque = lens.forward[:, None], Paint.of(model).alpha >= 1.0
    hits = cast(model, data, lens.position, axis, opaque, near, limit)
    depth = float(hits.depths[0]) if hits.geoms[0] >= 0 else limit
    # In coarse steps, so that shadows do not creep when something moves through the centre.
    depth = 2.0 ** (round(2 * math.log2(depth)) / 2)
    radius = _WIDER * depth * math.hypot(lens.half_width, lens.half_height)
    return lens.position + depth * lens.forward, radius
