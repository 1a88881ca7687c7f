# SPDX-License-Identifier: Apache-2.0
"""The part of the world in which OpenGL draws shadows."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.engine import mujoco

from .bundle import Bundle
from .hits import first_hits
from .lens import Lens
from .paint import Paint

_WIDER = 3.0  # than what is seen at the distance of the centre of the picture


def shadow_region(
    model: mujoco.MjModel, data: mujoco.MjData, lens: Lens, near: float
) -> tuple[NDArray[np.float64], float]:
    """A ball around what the picture is about, where a shadow map is worth its texels.

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
    axis = Bundle(lens.position, lens.forward[:, None])
    limit = max(float(model.stat.extent), near)
    depth = first_hits(model, data, axis, Paint.of(model).opaque, near, limit).depths[0]
    # In coarse steps, so that shadows do not creep when something moves through the centre.
    depth = 2.0 ** (round(2 * math.log2(depth)) / 2)
    radius = _WIDER * depth * math.hypot(lens.half_width, lens.half_height)
    return lens.position + depth * lens.forward, radius
