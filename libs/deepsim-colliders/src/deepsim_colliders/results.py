# SPDX-License-Identifier: Apache-2.0
"""Results of queries: hits of rays, bounds and clearances."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Point, Vector3

if TYPE_CHECKING:
    from .collider import Collider


class Hit(NamedTuple):
    """A hit of a ray on a collider, in the world frame.

    It describes one connected piece of the ray inside the collider, from `distance` to
    `exit_distance`. Hits are ordered by distance: ``min(hits)`` is the nearest.

    >>> from deepsim_colliders import SphereCollider
    >>> from deepsim_math import Ray
    >>> hit = SphereCollider(1.0).raycast(Ray((-3, 0, 0), (1, 0, 0)))
    >>> hit.distance, hit.exit_distance, hit.point
    (2.0, 4.0, Point(-1.0, 0.0, 0.0))
    """

    collider: Collider
    """The collider that was hit."""

    distance: float
    """Distance along the ray to the entry [m]; 0 if it starts inside."""

    point: Point
    """Point of entry."""

    normal: Vector3 | None
    """Unit normal of the surface at the entry, against the ray; None if it starts inside."""

    exit_distance: float
    """Distance along the ray to the exit [m]; infinity if it never leaves."""

    inside: bool
    """Whether the ray starts inside or on the surface."""

    def __lt__(self, other: Hit) -> bool:  # type: ignore[override]  # compares hits, not any tuples
        return self.distance < other.distance

    def __gt__(self, other: Hit) -> bool:  # type: ignore[override]  # as above
        return self.distance > other.distance


class Bounds(NamedTuple):
    """The smallest box along the world axes around a collider.

    >>> from deepsim_colliders import SphereCollider
    >>> SphereCollider(1.0).bounds.upper
    Point(1.0, 1.0, 1.0)
    """

    lower: Point
    """Least x, y and z [m]; z is -infinity for a 2D collider."""

    upper: Point
    """Greatest x, y and z [m]; z is infinity for a 2D collider."""


class RayHits(NamedTuple):
    """First hits of rays on a set, one entry per ray, in the world frame.

    >>> from deepsim_colliders import ColliderSet, SphereCollider
    >>> hits = ColliderSet([SphereCollider(1.0)]).raycast([(-3, 0, 0), (-3, 2, 0)], (1, 0, 0))
    >>> hits.ids.tolist(), hits.distances.tolist()
    ([0, -1], [2.0, inf])
    """

    ids: NDArray[np.intp]
    """Number of the collider in the set; -1 for a miss. Shape (...)."""

    distances: NDArray[np.float64]
    """Distance along the ray to the entry [m]; infinity for a miss. Shape (...)."""

    points: NDArray[np.float64]
    """Points of entry, (..., 3), or (..., 2) for 2D rays; NaN for a miss."""

    normals: NDArray[np.float64]
    """Unit normals at the entries, against the ray; NaN for a miss or a start inside."""

    inside: NDArray[np.bool_]
    """Whether the ray starts inside or on the surface. Shape (...)."""


class Clearances(NamedTuple):
    """Nearest colliders of a set, one entry per point, ball or capsule.

    >>> from deepsim_colliders import ColliderSet, SphereCollider
    >>> near = ColliderSet([SphereCollider(1.0)]).clearance([(3, 0, 0), (9, 0, 0)], max_distance=4)
    >>> near.ids.tolist(), near.distances.tolist()
    ([0, -1], [2.0, inf])
    """

    ids: NDArray[np.intp]
    """Number of the nearest collider in the set; -1 if none is near. Shape (...)."""

    distances: NDArray[np.float64]
    """Distance to it [m]; 0 if they meet, infinity if none is near. Shape (...)."""
