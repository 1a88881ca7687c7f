# SPDX-License-Identifier: Apache-2.0
"""What rays hit first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.engine import mujoco

from .bundle import Array, Bundle
from .meshes import enter_surface, packets_near
from .solids import SOLIDS

Mask = NDArray[np.bool_]


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
    near_bound = bundle.near(data.geom_xpos[geoms], model.geom_rbound[geoms])
    everyone = np.arange(count)
    for geom, packets in zip(geoms.tolist(), near_bound, strict=True):
        solid = SOLIDS.get(model.geom_type[geom])
        endless = model.geom_rbound[geom] == 0.0  # planes
        if solid is None and packets.any():
            packets = packets_near(model, data, geom, bundle)
        if not (endless or packets.any()):
            continue
        members = everyone if endless else bundle.members(packets)
        rays = bundle.rays if endless else bundle.rays.take(members, axis=1)
        if solid is None:
            depths, normals = enter_surface(
                model, data, geom, bundle.origin, rays, hits.depths[members]
            )
        else:
            axes = data.geom_xmat[geom].reshape(3, 3)
            origin = (bundle.origin - data.geom_xpos[geom]) @ axes
            rays = axes.T @ rays
            depths = solid.enter(origin, rays, model.geom_size[geom])
        closer = np.flatnonzero((depths >= near) & (depths < hits.depths[members]))
        if not closer.size:
            continue
        if solid is None:
            normals = normals.take(closer, axis=1)
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
