# SPDX-License-Identifier: Apache-2.0
"""The colours of geoms, by MuJoCo's rules."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.imports import mujoco

VISUAL_GROUP = 2
"""The group of geoms that are drawn."""

_UNSET = np.array([0.5, 0.5, 0.5, 1.0], np.float32)  # MuJoCo's default colour of a geom
_SHINY = 0.5  # specular and shininess of a geom without a material
_LARGEST_EXPONENT = 128.0  # of OpenGL's highlights, for a shininess of 1


class Paint(NamedTuple):
    """The materials of n geoms.

    Attributes:
        rgb: Colour in 0..1, (n, 3).
        alpha: Opacity, (n,); 0 for geoms that are not drawn.
        emission: Emitted light as a multiple of the colour, (n,).
        specular: Strength of highlights, (n,).
        exponent: Sharpness of highlights, (n,).
    """

    rgb: NDArray[np.float32]
    alpha: NDArray[np.float32]
    emission: NDArray[np.float32]
    specular: NDArray[np.float32]
    exponent: NDArray[np.float32]

    @classmethod
    def of(cls, model: mujoco.MjModel) -> Paint:
        """Returns the paint of a model; geoms with MuJoCo's default colour use their material's."""
        material = model.geom_matid  # -1 for none, which is the last row below
        specular, shininess = (
            np.append(values, np.float32(_SHINY))[material]
            for values in (model.mat_specular, model.mat_shininess)
        )
        of_material = np.vstack([model.mat_rgba, _UNSET])[material]
        unset = (model.geom_rgba == _UNSET).all(axis=1)
        rgba = np.where(unset[:, None], of_material, model.geom_rgba)
        rgba[model.geom_group != VISUAL_GROUP, 3] = 0.0
        emission = np.append(model.mat_emission, np.float32(0.0))[material]
        return cls(rgba[:, :3], rgba[:, 3], emission, specular, shininess * _LARGEST_EXPONENT)
