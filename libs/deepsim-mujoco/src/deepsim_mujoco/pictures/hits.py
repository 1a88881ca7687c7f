# SPDX-License-Identifier: Apache-2.0
"""What rays hit first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.engine import mujoco

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_SHOWN, _HIDDEN = 0, 1
_CAST_AT_SHOWN = np.array([1, 0, 0, 0, 0, 0], np.uint8)


@dataclass(frozen=True, slots=True)
class Hits:
    """The first surfaces along n rays.

    Attributes:
        geoms: (n,) ids, -1 where a ray hits nothing.
        depths: (n,) multiples of the rays; of no meaning where nothing is hit.
        normals: (n, 3) unit vectors that point against the rays; of no meaning where nothing is
            hit.
    """

    geoms: NDArray[np.int32]
    depths: Array
    normals: Array


def first_hits(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    origin: Array,
    rays: Array,
    shown: Mask,
    near: float = 0.0,
) -> Hits:
    """Casts rays from one point.

    A geom is seen from outside only: one that surrounds the origin, such as the case of a camera,
    does not block the view, and neither does what is nearer than ``near``.

    Args:
        model: During the call its geom groups are borrowed.
        data: With the poses of the geoms.
        origin: (3,) world frame [m].
        rays: (n, 3) of any length.
        shown: (ngeom,) the geoms that count.
        near: The least depth, in lengths of the rays.

    Returns:
        One hit per ray.
    """
    hits = _cast(model, data, origin, rays, shown)
    surrounding = np.linalg.norm(data.geom_xpos - origin, axis=1) < model.geom_rbound
    pending = np.arange(len(rays))
    found = hits
    while True:
        along = np.einsum("ij,ij->i", found.normals, rays[pending] if found is not hits else rays)
        from_behind = along > 0.0
        blocked = (found.geoms >= 0) & (
            (found.depths < near) | (from_behind & surrounding[found.geoms])
        )
        if from_behind.any():
            hits.normals[pending[from_behind]] *= -1.0
        if not blocked.any():
            return hits
        shown = shown.copy()
        shown[found.geoms[blocked]] = False
        pending = pending[blocked]
        found = _cast(model, data, origin, rays[pending], shown)
        hits.geoms[pending] = found.geoms
        hits.depths[pending] = found.depths
        hits.normals[pending] = found.normals


def _cast(
    model: mujoco.MjModel, data: mujoco.MjData, origin: Array, rays: Array, shown: Mask
) -> Hits:
    """One call of MuJoCo, which tells geoms apart by their group alone."""
    count = len(rays)
    hits = Hits(np.empty(count, np.int32), np.empty(count), np.empty((count, 3)))
    groups = model.geom_group.copy()
    model.geom_group[:] = np.where(shown, _SHOWN, _HIDDEN)
    try:
        mujoco.mj_multiRay(
            model,
            data,
            origin,
            rays.reshape(-1),
            _CAST_AT_SHOWN,
            True,  # also what is fixed to the world
            -1,  # exclude no body
            hits.geoms,
            hits.depths,
            hits.normals.reshape(-1),
            count,
            mujoco.mjMAXVAL,
        )
    finally:
        model.geom_group[:] = groups
    return hits
