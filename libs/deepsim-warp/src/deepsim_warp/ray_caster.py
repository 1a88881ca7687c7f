# SPDX-License-Identifier: Apache-2.0
"""Rays of lidars in all worlds at once."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.state.layout import Floats

from . import kernels
from .imports import mjw, wp

_HIDDEN = 5  # a group of geoms that rays pass


class RayCaster:
    """Casts the rays of one lidar.

    Args:
        model: The model on the device.
        site: Number of the sensor's site.
        rays: Directions in the sensor's frame, (n, 3).
        shown: Whether rays can hit each geom, (ngeom,).
        worlds: Number of worlds, W.
    """

    def __init__(
        self,
        model: Any,
        site: int,
        rays: Floats,
        shown: NDArray[np.bool_],
        worlds: int,
    ) -> None:
        # Groups are the only way to choose geoms; transparent ones are hit, too.
        self._model = copy.copy(model)
        groups = np.where(shown, 0, _HIDDEN).astype(np.int32)
        self._model.geom_group = wp.array(groups, dtype=int)
        self._model.geom_matid = wp.full((1, len(shown)), -1, dtype=int)
        self._model.geom_rgba = wp.full((1, len(shown)), wp.vec4(1.0, 1.0, 1.0, 1.0), dtype=wp.vec4)
        self._site, count = site, len(rays)
        self._rays = wp.array(rays.astype(np.float32), dtype=wp.vec3)
        shape = worlds, count
        self._origins, self._directions = (wp.zeros(shape, dtype=wp.vec3) for _ in range(2))
        self._distances = wp.zeros(shape, dtype=float)
        self._geoms = wp.zeros(shape, dtype=int)
        self._normals = wp.zeros(shape, dtype=wp.vec3)
        self._no_body = wp.full(count, -1, dtype=int)

    def cast(self, data: Any) -> NDArray[np.float64]:
        """Returns the distances to the nearest surfaces, (W, n) [m]; -1 without a hit."""
        aim = [data.site_xpos, data.site_xmat, self._site, self._rays]
        into = [self._origins, self._directions]
        wp.launch(kernels.aim_rays, self._distances.shape, inputs=[*aim, *into])
        shown = wp.types.vector(length=6, dtype=float)(1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        mjw.rays(
            self._model, data, *into, shown, True, self._no_body,
            self._distances, self._geoms, self._normals,
        )  # fmt: skip
        found: NDArray[np.float64] = self._distances.numpy().astype(np.float64)
        return found
