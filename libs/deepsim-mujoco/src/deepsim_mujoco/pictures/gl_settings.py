# SPDX-License-Identifier: Apache-2.0
"""Settings of MuJoCo's renderer that are read from the model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from deepsim_mujoco.engine import mujoco

_SHADOW_TEXELS = 2048  # along each side of the shadow map
_HORIZON = 100.0  # [m] to the end of an endless plane, if the model does not set it farther


@contextmanager
def gl_settings(model: mujoco.MjModel) -> Iterator[None]:
    """Lends a model our settings while MuJoCo's renderer looks at it."""
    quality, limits = model.vis.quality, model.vis.map
    given = quality.shadowsize, quality.offsamples, limits.zfar
    quality.shadowsize, quality.offsamples = _SHADOW_TEXELS, 0
    limits.zfar = max(limits.zfar, _HORIZON / model.stat.extent)
    try:
        yield
    finally:
        quality.shadowsize, quality.offsamples, limits.zfar = given
