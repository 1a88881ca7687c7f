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
    """Returns the planes whose material has a texture, which is taken for a checker."""
    texture = np.append(model.mat_texid[:, _ROLE], -1)[model.geom_matid]
    planes = (model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE) & (texture >= 0)
    return [int(plane) for plane in np.flatnonzero(planes)]


def checker_brightness(
    points: NDArray[np.float64], blur: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Returns the brightness (n,) of the checker in 0..1, for cameras without textures.

    Args:
        points: (2, n) on the plane, from the start of the texture [m].
        blur: (n,) length of a pixel on the plane [m]; small tiles fade into their mean.
    """
    side = 1 - 2 * (np.floor(points / _TILE).sum(axis=0) % 2)  # -1 light, 1 dark
    contrast = np.clip(1.5 - 2.0 * blur / _TILE, 0.0, 1.0)
    brightness: NDArray[np.float64] = 1 - (1 - _DARK) / 2 * (1 + side * contrast)
    return brightness.astype(np.float32)
