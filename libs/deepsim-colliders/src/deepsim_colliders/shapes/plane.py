# SPDX-License-Identifier: Apache-2.0
"""Half spaces."""

from __future__ import annotations

import math
from typing import Any, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from deepsim_colliders._crossings import Crossing
from deepsim_colliders._frames import Triple
from deepsim_colliders._gjk import Vec, dot, minus, scaled
from deepsim_colliders._shape import Array
from deepsim_colliders.collider import ORIGIN
from deepsim_colliders.collider_3d import Collider3D
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

    def _measure_core(self) -> tuple[float, float]:
        return math.inf, 1.0  # a plane has no size: a nanometre counts as touching

    def _height(self, point: Any) -> Any:
        x, y, z = self._normal
        return x * point[0] + y * point[1] + z * point[2]

    def _gap_to_core(self, point: Triple) -> tuple[float, Triple]:
        return max(self._height(point), 0.0), self._normal

    def _gaps(self, points: Array) -> tuple[Array, Array]:
        return self._height(points.T), np.broadcast_to(self._normal, points.shape)

    def _line_gaps(self, starts: Array, ends: Array) -> Array:
        lower: Array = np.minimum(self._height(starts.T), self._height(ends.T))
        return lower

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

    def _cross_many(self, origins: Array, directions: Array) -> tuple[Array, Array]:
        heights, rises = self._height(origins.T), self._height(directions.T)
        with np.errstate(divide="ignore", invalid="ignore"):
            starts = np.where(rises < 0.0, -heights / rises, np.nan)
        return starts, np.broadcast_to(self._normal, origins.shape)

    def _normal_there(self) -> Vec:
        normal: Vec = self._frame.turn_to_world(self._normal)
        return normal

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

    def _extremes(self) -> Sequence[Triple]:
        return ()
