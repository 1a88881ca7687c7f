# SPDX-License-Identifier: Apache-2.0
"""Discs and balls."""

from __future__ import annotations

from typing import SupportsFloat

import shapely

from deepsim_colliders._borders import positive
from deepsim_colliders._crossings import Crossing, cross_ball
from deepsim_colliders._frames import Pair, Triple
from deepsim_colliders._shape import BALL, Solid
from deepsim_colliders.collider import ORIGIN
from deepsim_colliders.collider_2d import Collider2D
from deepsim_colliders.collider_3d import Collider3D
from deepsim_math import Pose


class CircleCollider(Collider2D):
    """Disc centred on its frame, exact rather than a polygon.

    >>> from deepsim_colliders import RectangleCollider
    >>> from deepsim_math import Pose
    >>> disc = CircleCollider(1.0)
    >>> disc.intersects(RectangleCollider(2.0, 0.5, pose_offset=Pose((1.5, 0, 9))))  # z is ignored
    True

    Args:
        radius: radius [m], > 0.
    """

    def __init__(self, radius: SupportsFloat, *, pose_offset: Pose = ORIGIN) -> None:
        super().__init__(pose_offset)
        self._radius = positive(radius, "radius")
        self._numbers = Solid(BALL, (0.0, 0.0), self._radius)

    @property
    def radius(self) -> float:
        """Radius [m]."""
        return self._radius

    @property
    def margin(self) -> float:
        """Distance by which the shape extends beyond its core, the centre [m]."""
        return self._radius

    def core(self) -> shapely.Geometry:
        """Returns the centre."""
        return shapely.Point(0.0, 0.0)

    def _sizes(self) -> str:
        return f"radius={self._radius}"

    def _cross(self, origin: Pair, direction: Pair) -> Crossing | None:
        return cross_ball(origin, direction, self._radius)


class SphereCollider(Collider3D):
    """Solid ball centred on its frame.

    >>> SphereCollider(1.0).distance((3, 0, 0))
    2.0

    Args:
        radius: radius [m], > 0.
    """

    _is_point = True

    def __init__(self, radius: SupportsFloat, *, pose_offset: Pose = ORIGIN) -> None:
        super().__init__(pose_offset)
        self._radius = positive(radius, "radius")
        self._numbers = Solid(BALL, (0.0, 0.0, 0.0), self._radius)

    @property
    def radius(self) -> float:
        """Radius [m]."""
        return self._radius

    @property
    def margin(self) -> float:
        """Distance by which the shape extends beyond its core, the centre [m]."""
        return self._radius

    def support_point(self, direction: Triple) -> Triple:
        """Returns the centre."""
        return 0.0, 0.0, 0.0

    def _sizes(self) -> str:
        return f"radius={self._radius}"

    def _core_corners(self) -> list[Triple]:
        return [(0.0, 0.0, 0.0)]

    def _cross(self, origin: Triple, direction: Triple) -> Crossing | None:
        return cross_ball(origin, direction, self._radius)
