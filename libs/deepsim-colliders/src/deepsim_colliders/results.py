# SPDX-License-Identifier: Apache-2.0
"""Results of queries: hits of rays, bounds and clearances; and ray casts against one collider."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Point, Ray, Vector3

from ._crossings import Crossing

if TYPE_CHECKING:
    from ._shape import Shape
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


def first_hit(collider: Collider, ray: Ray) -> Hit | None:
    """Returns the first connected piece of a ray inside a collider."""
    if not isinstance(ray, Ray):
        raise TypeError(f"raycast needs a Ray, got {ray!r}; make one with Ray(origin, direction)")
    shapes = collider._live_shapes()
    origin, direction = collider._point(ray.origin), collider._point(ray.direction)
    first: Crossing | None = None
    for shape in shapes:
        crossing = shape._cross_here(origin, direction)
        if crossing and (first is None or crossing.start < first.start):
            first = crossing
    if first is None:
        return None
    end = first.end
    if len(shapes) > 1:
        end = _connected_end(shapes, origin, direction, end)
    if first.normal is None:
        return Hit(collider, first.start, ray.origin, None, end, True)
    x, y, *up = first.normal  # two numbers in the plane
    normal = Vector3(x, y, *(up or (0.0,)))
    return Hit(collider, first.start, ray.get_point(first.start), normal, end, False)


def _connected_end(shapes: Sequence[Shape], origin: Any, direction: Any, end: float) -> float:
    """Returns the distance at which a ray exits the connected shapes, if it exits one at `end`."""
    grown = True
    while grown and end < math.inf:
        grown = False
        for shape in shapes:
            place = tuple(o + end * d for o, d in zip(origin, direction))
            crossing = shape._cross_here(place, direction)
            # Leaving the same shape again, by touching or rounding, is not progress.
            least = shape._gap + 1e-12 * (math.hypot(*place) + end)
            if crossing and crossing.normal is None and crossing.end > least:
                end += crossing.end
                grown = True
    return end
