# SPDX-License-Identifier: Apache-2.0
"""A checker on planes, faint, so that one sees how fast the ground goes by."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.engine import mujoco

_NAME = "#checker"
_TILE = 1.0  # [m]
_DARK = 0.86  # of the brightness of the light tiles
_TEXELS = 64
_ROLE = int(mujoco.mjtTextureRole.mjTEXROLE_RGB)


def add_checker(spec: mujoco.MjSpec, material: mujoco.MjsMaterial) -> None:
    """Puts the checker on a material, for planes; it darkens every other tile of 1 m.

    Args:
        spec: The world; the texture is added to it with the first such material.
        material: Material of the world; geoms that have it keep their own colour.
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
    """The planes whose material has a texture, which is taken for a checker."""
    planes = np.flatnonzero(model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE)
    material = model.geom_matid[planes]
    textured = model.mat_texid[material, _ROLE] >= 0 if model.nmat else False
    return [int(plane) for plane in planes[(material >= 0) & textured]]


def checker_brightness(
    points: NDArray[np.float64], blur: NDArray[np.float64]
) -> NDArray[np.float32]:
    """How bright the checker is at points of a plane, for cameras that know no textures.

    Args:
        points: (2, n) on the plane, from where the texture starts [m].
        blur: (n,) how much of the plane a pixel covers [m]; tiles that are too small to be seen
            fade into their mean.

    Returns:
        (n,) factors in 0..1.
    """
    tiles = np.floor(points / _TILE).sum(axis=0)
    side = 1 - 4 * np.abs(tiles / 2 - np.rint(tiles / 2))  # -1 light, 1 dark
    contrast = np.clip(1.5 - 2.0 * blur / _TILE, 0.0, 1.0)
    brightness: NDArray[np.float64] = 1 - (1 - _DARK) / 2 * (1 + side * contrast)
    return brightness.astype(np.float32)
