# SPDX-License-Identifier: Apache-2.0
"""The colours that geoms have, by MuJoCo's rules."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.engine import mujoco

VISUAL_GROUP = 2
"""The group of geoms that are drawn; the others are there to be touched."""

_UNSET = np.array([0.5, 0.5, 0.5, 1.0], np.float32)  # MuJoCo's default colour of a geom


@dataclass(frozen=True, slots=True)
class Paint:
    """How the geoms of a model look.

    Attributes:
        rgb: (ngeom, 3) in 0..1.
        alpha: (ngeom,), 0 where a geom is not drawn.
        emission: (ngeom,) how strongly a geom shines by itself.
    """

    rgb: NDArray[np.float32]
    alpha: NDArray[np.float32]
    emission: NDArray[np.float32]

    @classmethod
    def of(cls, model: mujoco.MjModel) -> Paint:
        """Reads the colours: a geom's own one, or its material's if the geom has the default."""
        rgba = model.geom_rgba.copy()
        emission = np.zeros(model.ngeom, np.float32)
        material = model.geom_matid
        has_material = material >= 0
        emission[has_material] = model.mat_emission[material[has_material]]
        borrows = has_material & (rgba == _UNSET).all(axis=1)
        rgba[borrows] = model.mat_rgba[material[borrows]]
        rgba[model.geom_group != VISUAL_GROUP, 3] = 0.0
        return cls(rgba[:, :3], rgba[:, 3], emission)

    @property
    def opaque(self) -> NDArray[np.bool_]:
        """(ngeom,) whether a geom hides what is behind it."""
        return self.alpha >= 1.0

    @property
    def translucent(self) -> NDArray[np.bool_]:
        """(ngeom,) whether a geom is seen and seen through."""
        return (self.alpha > 0.0) & (self.alpha < 1.0)
