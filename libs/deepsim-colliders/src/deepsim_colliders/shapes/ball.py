# SPDX-License-Identifier: Apache-2.0
"""Discs and balls."""

from __future__ import annotations

import math
from typing import Any, SupportsFloat

import shapely

from deepsim_colliders._borders import positive
from deepsim_colliders._crossings import Crossing, cross_ball
from deepsim_colliders._follower import ORIGIN
from deepsim_colliders._frames import Triple, dot
from deepsim_colliders._shape import BALL, TOUCH, Shape, Solid
from deepsim_colliders.collider_2d import Collider2D
from deepsim_colliders.convex.vectors import scaled, unit
from deepsim_colliders.convex_collider import ConvexCollider
from deepsim_math import Pose


class BallCollider(Shape):
    """The base class of discs and balls: all points within `radius` [m] of the frame's origin."""

    def __init__(self, radius: SupportsFloat, *, pose_offset: Pose = ORIGIN) -> None:
        super().__init__(pose_offset)
        self._radius = positive(radius, "radius")

    @property
    def radius(self) -> float:
        """Radius [m]."""
        return self._radius

    def _sizes(self) -> str:
        return f"radius={self._radius}"

    @property
    def _solid(self) -> Solid:
        return Solid(BALL, (0.0,) * self.dimensions, self._radius)

    @property
    def _size(self) -> float:
        return self._radius

    @property
    def _extent(self) -> float:
        return self._radius

    def _holds(self, point: Any) -> bool:
        return math.hypot(*point) <= self._radius * (1.0 + TOUCH)

    def _cross(self, origin: Any, direction: Any) -> Crossing | None:
        return cross_ball(origin, direction, self._radius)

    def _near(self, point: Any, reach: float) -> bool:
        return math.dist(self._frame.origin, point) <= self._radius + reach

    def _farthest(self, point: Any) -> float:
        return math.dist(self._frame.origin, point) + self._radius

    def _support(self, direction: Any) -> float:
        return dot(self._frame.origin, direction) + self._radius

    def _intersects(self, other: Any) -> Any:
        reach = self._radius + self._touch(other)
        return bool(other._near(self._frame.origin, reach))

    def _contains(self, other: Any) -> bool:
        reach = self._radius + self._touch(other)
        return bool(other._farthest(self._frame.origin) <= reach)


class CircleCollider(BallCollider, Collider2D):
    """Disc centred on its frame, exact rather than a polygon.

    >>> from deepsim_colliders import RectangleCollider
    >>> from deepsim_math import Pose
    >>> disc = CircleCollider(1.0)
    >>> disc.intersects(RectangleCollider(2.0, 0.5, pose_offset=Pose((1.5, 0, 9))))  # z is ignored
    True

    Args:
        radius: radius [m], > 0.
    """

    def _flat(self) -> tuple[shapely.Geometry, float]:
        return shapely.Point(self._frame.origin), self._radius


class SphereCollider(BallCollider, ConvexCollider):
    """Solid ball centred on its frame.

    >>> SphereCollider(1.0).distance((3, 0, 0))
    2.0

    Args:
        radius: radius [m], > 0.
    """

    _is_point = True

    def support_point(self, direction: Triple) -> Triple:
        """Returns the farthest point of the surface along a direction of the frame."""
        return scaled(unit(direction), self._radius)

    @property
    def _rounding(self) -> float:  # type: ignore[override]  # fixed, as that of the base class
        return self._radius

    def _core_point(self, direction: Triple) -> Triple:
        return 0.0, 0.0, 0.0

    def _core_corners(self) -> list[Triple]:
        return [(0.0, 0.0, 0.0)]
