# SPDX-License-Identifier: Apache-2.0
"""The base class of circles in 2D and spheres in 3D."""

from __future__ import annotations

import math
from typing import Any, SupportsFloat

from deepsim_colliders._crossings import Crossing, cross_ball
from deepsim_colliders._follower import ORIGIN
from deepsim_colliders._frames import dot
from deepsim_colliders._measures import positive
from deepsim_colliders._shape import BALL, TOUCH, Shape, Solid
from deepsim_math import Pose


class BallCollider(Shape):
    """All points within `radius` [m] of the origin of the frame."""

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
