# SPDX-License-Identifier: Apache-2.0
"""A faint checker on planes, which makes motion over the ground visible."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.engine import mujoco

_NAME = "#checker"
_TILE = 1.0  # [m]
_DARK = 0.86  # brightness relative to the light tiles
_TEXELS = 64
_ROLE = int(mujoco.mjtTextureRole.mjTEXROLE_RGB)


def add_checker(spec: mujoco.MjSpec, material: mujoco.MjsMaterial) -> None:
    """Adds a checker with tiles of 1 m to a material of planes.

    Args:
        spec: Spec of the world, which gets the texture with the first such material.
        material: Material of the world; geoms with it keep their own colour.
    """
    if spec.texture(_NAME) is None:
        spec.add_texture(
            name=_NAME,
            type=mujoco.mjtTexture.mjTEXTURE_2D,
            builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
            rgb1=[1.0] * 3,
            rgb2=[_DARK] * 3,
            width=_TEXELS,
            height=_TEXELS,
        )
    material.textures[_ROLE] = _NAME
    material.texuniform = True
    material.texrepeat = [1.0 / _TILE] * 2


def checkered_planes(model: mujoco.MjModel) -> list[int]:
    """Returns the numbers of planes with a textured material, taken for a checker."""
    texture = np.append(model.mat_texid[:, _ROLE], -1)[model.geom_matid]
    planes = (model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE) & (texture >= 0)
    return [int(plane) for plane in np.flatnonzero(planes)]


def checker_brightness(
    points: NDArray[np.float64], blur: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Returns the brightness of the checker in 0..1, (n,), for cameras without textures.

    Args:
        points: Points on the plane, relative to the start of the texture, (2, n) [m].
        blur: Length of a pixel on the plane, (n,) [m]; small tiles fade to their mean.
    """
    side = 1 - 2 * (np.floor(points / _TILE).sum(axis=0) % 2)  # -1 light, 1 dark
    contrast = np.clip(1.5 - 2.0 * blur / _TILE, 0.0, 1.0)
    brightness: NDArray[np.float64] = 1 - (1 - _DARK) / 2 * (1 + side * contrast)
    return brightness.astype(np.float32)
