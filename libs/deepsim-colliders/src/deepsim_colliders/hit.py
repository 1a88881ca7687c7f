# SPDX-License-Identifier: Apache-2.0
"""Answer of a raycast."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deepsim_math import Point, Vector3

if TYPE_CHECKING:
    from .collider import Collider


class Hit(NamedTuple):
    """The meeting of a ray and a collider, in the world frame.

    Colliders are closed sets: their surface belongs to them. The ray is cut to its first connected
    piece inside the collider, at distances [distance, exit_distance] along the ray.

    Hits are ordered by distance: ``min(hits)`` is the nearest.

    >>> from deepsim_colliders import SphereCollider
    >>> from deepsim_math import Ray
    >>> hit = SphereCollider(1.0).raycast(Ray((-3, 0, 0), (1, 0, 0)))
    >>> hit.distance, hit.exit_distance, hit.point
    (2.0, 4.0, Point(-1.0, 0.0, 0.0))
    """

    collider: Collider
    """What was hit."""

    distance: float
    """Along the ray to where it enters [m]; 0 when it starts inside."""

    point: Point
    """Where it enters."""

    normal: Vector3 | None
    """Unit normal of the surface where it enters, against the ray; None when it starts inside."""

    exit_distance: float
    """Along the ray to where it leaves [m]; infinity when a vertical ray never leaves a 2D one."""

    inside: bool
    """Whether the ray starts inside or on the surface."""

    def __lt__(self, other: Hit) -> bool:  # type: ignore[override]  # of hits, not of any tuples
        return self.distance < other.distance

    def __gt__(self, other: Hit) -> bool:  # type: ignore[override]  # as above
        return self.distance > other.distance
