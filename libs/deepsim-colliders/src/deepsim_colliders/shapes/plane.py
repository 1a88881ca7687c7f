# SPDX-License-Identifier: Apache-2.0
"""Half spaces."""

from __future__ import annotations

import math
from typing import Any, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from deepsim_colliders._crossings import Crossing
from deepsim_colliders._follower import ORIGIN
from deepsim_colliders._frames import Triple
from deepsim_colliders._shape import OTHER, Solid
from deepsim_colliders.collider_3d import Collider3D, Rows
from deepsim_colliders.convex.vectors import Vec, dot, minus, scaled
from deepsim_math import Pose, Vector3


class PlaneCollider(Collider3D):
    """Infinite ground: a plane through the origin of its frame and everything below it.

    >>> from deepsim_colliders import SphereCollider
    >>> ground = PlaneCollider()
    >>> ball = SphereCollider(0.5, pose_offset=Pose((3, 4, 2)))
    >>> ground.distance(ball)
    1.5

    Args:
        normal: direction out of the ground in its frame, of any length > 0.
    """

    _is_plane = True

    def __init__(
        self, normal: Iterable[float] = (0.0, 0.0, 1.0), *, pose_offset: Pose = ORIGIN
    ) -> None:
        super().__init__(pose_offset)
        vector = Vector3.from_array(normal)
        length = math.hypot(*vector)
        if not 0.0 < length < math.inf:
            raise ValueError(f"the normal of a plane must have a finite length > 0, got {vector!r}")
        x, y, z = vector
        self._normal: Triple = (x / length, y / length, z / length)

    @property
    def normal(self) -> Vector3:
        """Unit normal out of the ground in its frame."""
        return Vector3(*self._normal)

    def _sizes(self) -> str:
        return f"normal={self._normal}"

    @property
    def _solid(self) -> Solid:
        return Solid(OTHER, (0.0, 0.0, 0.0), math.inf)

    @property
    def _size(self) -> float:
        return math.inf

    @property
    def _extent(self) -> float:
        return 1.0  # a plane has no size: a nanometre counts as touching

    def _height(self, point: Any) -> Any:
        x, y, z = self._normal
        return x * point[0] + y * point[1] + z * point[2]

    def _holds(self, point: Triple) -> bool:
        return bool(self._height(point) <= self._gap)

    def _hold(self, points: Any) -> NDArray[np.bool_]:
        below: NDArray[np.bool_] = self._height(points) <= self._gap
        return below

    def _cross(self, origin: Triple, direction: Triple) -> Crossing | None:
        height, rise = self._height(origin), self._height(direction)
        if rise == 0.0:
            return Crossing(-math.inf, math.inf, self._normal) if height <= 0.0 else None
        time = -height / rise
        if rise < 0.0:
            return Crossing(time, math.inf, self._normal)
        return Crossing(-math.inf, time, scaled(direction, -1.0 / math.hypot(*direction)))

    def _cross_many(self, origins: Rows, directions: Rows) -> tuple[Rows, Rows]:
        heights, rises = self._height(origins.T), self._height(directions.T)
        with np.errstate(divide="ignore", invalid="ignore"):
            starts = np.where(rises < 0.0, -heights / rises, np.nan)
        return starts, np.broadcast_to(self._normal, origins.shape)

    def _normal_there(self) -> Vec:
        normal: Vec = self._frame.turn_to_world(self._normal)
        return normal

    def _near(self, point: Triple, reach: float) -> bool:
        return bool(self._height(self._frame.to_local(point)) <= reach)

    def _farthest(self, point: Triple) -> float:
        return math.inf

    def _support(self, direction: Triple) -> float:
        normal = self._normal_there()
        if dot(normal, direction) < math.hypot(*direction):
            return math.inf
        return dot(self._frame.origin, direction)

    def _contains(self, other: Any) -> bool:
        normal = self._normal_there()
        if other._is_plane:
            theirs = other._normal_there()
            if math.dist(normal, theirs) > 1e-15:
                return False
            reach = dot(minus(other._frame.origin, self._frame.origin), normal)
            return reach <= self._touch(other)
        return bool(other._support(normal) - dot(self._frame.origin, normal) <= self._touch(other))

    def _pieces(self, _: Any) -> Sequence[Any]:
        return (self,)

    def _corners(self) -> Sequence[Triple]:
        return ()

    def _extremes(self) -> Sequence[Triple]:
        return ()

    def _ball(self) -> tuple[Vec, float]:
        origin: Vec = self._frame.origin
        return origin, math.inf
