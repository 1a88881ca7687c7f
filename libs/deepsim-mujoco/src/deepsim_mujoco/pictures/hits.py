# SPDX-License-Identifier: Apache-2.0
"""What rays hit first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.engine import mujoco

from .bundle import Array, Bundle
from .solids import SOLIDS

Mask = NDArray[np.bool_]

_SHOWN, _HIDDEN = 0, 1
_CAST_AT_SHOWN = np.array([1, 0, 0, 0, 0, 0], np.uint8)


@dataclass(frozen=True, slots=True)
class Hits:
    """The first surfaces along n rays.

    Attributes:
        geoms: (n,) ids, -1 where a ray hits nothing.
        depths: (n,) multiples of the rays.
        normals: (n, 3) unit vectors that point against the rays.
    """

    geoms: NDArray[np.int32]
    depths: Array
    normals: Array

    def __getitem__(self, some: NDArray[np.intp]) -> Hits:
        """Those of some rays."""
        return Hits(self.geoms[some], self.depths[some], self.normals[some])


def first_hits(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    bundle: Bundle,
    shown: Mask,
    near: float,
    far: float,
) -> Hits:
    """Casts rays from one point.

    A geom is seen from outside only: one that surrounds the origin, such as the case of a camera,
    does not block the view.

    Args:
        model: During the call its geom groups are borrowed.
        data: With the poses of the geoms.
        bundle: The rays.
        shown: (ngeom,) the geoms that count.
        near: Nothing is hit at a smaller multiple of a ray.
        far: Nothing is hit at a greater multiple of a ray.

    Returns:
        One hit per ray; depths and normals are of no meaning where nothing is hit.
    """
    count = len(bundle.rays)
    hits = Hits(np.full(count, -1, np.int32), np.full(count, far), np.zeros((count, 3)))
    geoms = np.flatnonzero(shown)
    packets = bundle.near(data.geom_xpos[geoms], model.geom_rbound[geoms])
    packets[model.geom_rbound[geoms] == 0.0] = True  # planes have no bound
    for geom, marked in zip(geoms, packets, strict=True):
        members = bundle.members(marked)
        if not members.size:
            continue
        rays = bundle.rays[members]
        solid = SOLIDS.get(model.geom_type[geom])
        if solid is None:
            depths, normals = _cast(model, data, geom, bundle.origin, rays)
        else:
            axes = data.geom_xmat[geom].reshape(3, 3)
            origin, rays = (bundle.origin - data.geom_xpos[geom]) @ axes, rays @ axes
            depths = solid.enter(origin, rays, model.geom_size[geom])
        closer = np.flatnonzero((depths >= near) & (depths < hits.depths[members]))
        if solid is None:
            normals = normals[closer]
        else:
            points = origin + rays[closer] * depths[closer, None]
            normals = solid.outward(points, model.geom_size[geom]) @ axes.T
            normals /= np.linalg.norm(normals, axis=1)[:, None]
        where = members[closer]
        hits.geoms[where] = geom
        hits.depths[where] = depths[closer]
        hits.normals[where] = normals
    return hits


def _cast(
    model: mujoco.MjModel, data: mujoco.MjData, geom: int, origin: Array, rays: Array
) -> tuple[Array, Array]:
    """Depths and normals on a mesh or height field, of which only MuJoCo knows the surface."""
    count = len(rays)
    ids, depths, normals = np.empty(count, np.int32), np.empty(count), np.empty((count, 3))
    groups = model.geom_group.copy()
    model.geom_group[:] = _HIDDEN  # the only way to tell MuJoCo which geom counts
    model.geom_group[geom] = _SHOWN
    try:
        mujoco.mj_multiRay(
            model,
            data,
            origin,
            rays.reshape(-1),
            _CAST_AT_SHOWN,
            True,  # also what is fixed to the world
            -1,  # exclude no body
            ids,
            depths,
            normals.reshape(-1),
            count,
            mujoco.mjMAXVAL,
        )
    finally:
        model.geom_group[:] = groups
    depths[ids < 0] = np.inf
    behind = np.einsum("ij,ij->i", normals, rays) > 0.0
    if np.linalg.norm(data.geom_xpos[geom] - origin) < model.geom_rbound[geom]:
        depths[behind] = np.inf  # from inside
    normals[behind] *= -1.0  # the mesh is inside out
    return depths, normals
