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
        normals: (3, n) unit vectors that point against the rays.
    """

    geoms: NDArray[np.int32]
    depths: Array
    normals: Array

    def __getitem__(self, some: NDArray[np.intp]) -> Hits:
        """Those of some rays."""
        return Hits(self.geoms[some], self.depths[some], self.normals.take(some, axis=1))


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
    count = bundle.rays.shape[1]
    hits = Hits(np.full(count, -1, np.int32), np.full(count, far, np.float64), np.empty((3, count)))
    geoms = np.flatnonzero(shown)
    packets = bundle.near(data.geom_xpos[geoms], model.geom_rbound[geoms])
    everyone = np.arange(count)
    for i in np.argsort(~np.isin(model.geom_type[geoms], list(SOLIDS)), kind="stable").tolist():
        geom = geoms[i]
        unbound = model.geom_rbound[geom] == 0.0  # planes
        if not (unbound or packets[i].any()):
            continue
        members = everyone if unbound else bundle.members(packets[i])
        rays = bundle.rays if unbound else bundle.rays.take(members, axis=1)
        solid = SOLIDS.get(model.geom_type[geom])
        axes = data.geom_xmat[geom].reshape(3, 3)
        origin = (bundle.origin - data.geom_xpos[geom]) @ axes
        if solid is None:
            box=model.geom_aabb[geom]
            enter=SOLIDS[6].enter(origin-box[:3], axes.T@rays, box[3:]+1e-4)
            some=np.flatnonzero(enter<hits.depths[members])
            members=members[some]
            rays=rays.take(some,axis=1)
            depths, normals = _cast(model, data, geom, bundle.origin, rays)
        else:
            rays = axes.T @ rays
            depths = solid.enter(origin, rays, model.geom_size[geom])
        closer = np.flatnonzero((depths >= near) & (depths < hits.depths[members]))
        if not closer.size:
            continue
        if solid is None:
            normals = normals[:, closer]
        elif solid.outward is None:
            normals = axes[:, 2:]
        else:
            points = origin[:, None] + rays.take(closer, axis=1) * depths[closer]
            normals = axes @ solid.outward(points, model.geom_size[geom])
        where = members[closer]
        hits.geoms[where] = geom
        hits.depths[where] = depths[closer]
        hits.normals[:, where] = normals
    return hits


def _cast(
    model: mujoco.MjModel, data: mujoco.MjData, geom: int, origin: Array, rays: Array
) -> tuple[Array, Array]:
    """Depths and normals on a mesh or height field, of which only MuJoCo knows the surface."""
    count = rays.shape[1]
    ids, depths, normals = np.empty(count, np.int32), np.empty(count), np.empty((count, 3))
    groups = model.geom_group.copy()
    model.geom_group[:] = _HIDDEN  # the only way to tell MuJoCo which geom counts
    model.geom_group[geom] = _SHOWN
    try:
        mujoco.mj_multiRay(
            model,
            data,
            origin,
            rays.T.reshape(-1),
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
    behind = np.einsum("ij,ji->i", normals, rays) > 0.0
    if np.linalg.norm(data.geom_xpos[geom] - origin) < model.geom_rbound[geom]:
        depths[behind] = np.inf  # from inside
    normals[behind] *= -1.0  # the mesh is inside out
    return depths, normals.T
