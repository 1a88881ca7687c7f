# SPDX-License-Identifier: Apache-2.0
"""Settings of MuJoCo's renderer that are read from the model."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

from deepsim_mujoco.engine import mujoco

_SHADOW_TEXELS = 2048  # along each side of the shadow map
_LEAST_HORIZON = 100.0  # [m]


def horizon(model: mujoco.MjModel) -> float:
    """How far from the camera endless planes are drawn [m].

    In coarse steps, because planes are uploaded again when it changes.
    """
    times = model.vis.map.zfar * model.stat.extent / _LEAST_HORIZON
    return float(_LEAST_HORIZON * 2.0 ** round(math.log2(max(times, 1.0))))


@contextmanager
def gl_settings(model: mujoco.MjModel) -> Iterator[None]:
    """Lends a model our settings while MuJoCo's renderer looks at it."""
    quality, limits = model.vis.quality, model.vis.map
    given = quality.shadowsize, quality.offsamples, limits.zfar
    quality.shadowsize, quality.offsamples = _SHADOW_TEXELS, 0
    limits.zfar = horizon(model) / model.stat.extent
    try:
        yield
    finally:
        quality.shadowsize, quality.offsamples, limits.zfar = given
