# SPDX-License-Identifier: Apache-2.0
"""Answer of many raycasts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class RayHits(NamedTuple):
    """First meetings of rays with a set: one entry per ray, in the world frame.

    >>> from deepsim_colliders import ColliderSet, SphereCollider
    >>> hits = ColliderSet([SphereCollider(1.0)]).raycast([(-3, 0, 0), (-3, 2, 0)], (1, 0, 0))
    >>> hits.ids.tolist(), hits.distances.tolist()
    ([0, -1], [2.0, inf])
    """

    ids: NDArray[np.intp]
    """Number of the collider in the set; -1 where a ray meets none. Shape (...)."""

    distances: NDArray[np.float64]
    """Along the ray to where it enters [m]; infinite where it meets none. Shape (...)."""

    points: NDArray[np.float64]
    """Where it enters, (..., 3), or (..., 2) for rays given so; NaN where it meets none."""

    normals: NDArray[np.float64]
    """Unit normals of the surface there, against the ray; NaN where there is none or inside."""

    inside: NDArray[np.bool_]
    """Whether the ray starts inside or on the surface. Shape (...)."""


class AllRayHits(NamedTuple):
    """First meetings of rays with each collider of a set, one entry each, in the world frame.

    In the order of the rays, of the distances along each, and of the ids.

    >>> from deepsim_colliders import ColliderSet, SphereCollider
    >>> near, far = SphereCollider(1.0), SphereCollider(1.0)
    >>> balls = ColliderSet([near, far])
    >>> balls.update([(5, 0, 0, 0, 0, 0, 1), (9, 0, 0, 0, 0, 0, 1)])
    >>> hits = balls.raycast_all([(0, 0, 0)], (1, 0, 0))
    >>> hits.ids.tolist(), hits.distances.tolist()
    ([0, 1], [4.0, 8.0])
    """

    rays: NDArray[np.intp]
    """Number of the ray, counted as in an array of one axis. Shape (k,)."""

    ids: NDArray[np.intp]
    """Number of the collider in the set. Shape (k,)."""

    distances: NDArray[np.float64]
    """Along the ray to where it enters [m]. Shape (k,)."""

    points: NDArray[np.float64]
    """Where it enters, (k, 3), or (k, 2) for rays given so."""

    normals: NDArray[np.float64]
    """Unit normals of the surface there, against the ray; NaN for a ray that starts inside."""

    inside: NDArray[np.bool_]
    """Whether the ray starts inside or on the surface. Shape (k,)."""
