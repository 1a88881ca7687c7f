# SPDX-License-Identifier: Apache-2.0
"""Capsules."""

from __future__ import annotations

import math
from typing import Any, SupportsFloat

from deepsim_colliders._crossings import Crossing, cross_ball, cross_box
from deepsim_colliders._follower import ORIGIN
from deepsim_colliders._frames import Triple, dot
from deepsim_colliders._measures import positive
from deepsim_colliders._segments import segment_to_box
from deepsim_colliders._shape import CAPSULE, Solid
from deepsim_colliders.collider_3d import Collider3D
from deepsim_math import Pose

from .box import BoxCollider


class CapsuleCollider(Collider3D):
    """Cylinder with a half ball on each end, about the origin of its frame and along its z axis.

    It is all points within `radius` of a line of `length`, as the capsules of MuJoCo and SDF.

    Args:
        radius: [m], > 0.
        length: of the cylinder, without the half balls [m], > 0.
        pose_offset: see `Collider`.
    """

    def __init__(
        self, radius: SupportsFloat, length: SupportsFloat, *, pose_offset: Pose = ORIGIN
    ) -> None:
        super().__init__(pose_offset)
        self._radius = positive(radius, "radius")
        self._half = 0.5 * positive(length, "length")

    @property
    def radius(self) -> float:
        """Radius [m]."""
        return self._radius

    @property
    def length(self) -> float:
        """Length of the cylinder along z, without the half balls [m]."""
        return 2.0 * self._half

    def __repr__(self) -> str:
        return f"{type(self).__name__}(radius={self._radius}, length={self.length})"

    @property
    def _solid(self) -> Solid:
        return Solid(CAPSULE, (0.0, 0.0, self._half), self._radius)

    @property
    def _size(self) -> float:
        return self._half + self._radius

    def _holds(self, point: Triple) -> bool:
        return self._to_line(point) <= self._radius + self._gap

    def _to_line(self, point: Triple) -> float:
        """Distance of a point of the frame from the line in the middle."""
        x, y, z = point
        return math.hypot(x, y, max(abs(z) - self._half, 0.0))

    def _cross(self, origin: Triple, direction: Triple) -> Crossing | None:
        # The capsule is convex: from the first entry into one of its three parts to the last exit.
        x, y, z = origin
        half, radius = self._half, self._radius
        parts = [cross_ball((x, y, z - end), direction, radius) for end in (half, -half)]
        wall = cross_ball((x, y), direction[:2], radius)
        slab = cross_box((z,), direction[2:], (half,))
        if wall and slab:
            start, end = max(wall.start, slab.start), min(wall.end, slab.end)
            if start <= end:
                parts.append(Crossing(start, end, None))
        met = [part for part in parts if part]
        if not met:
            return None
        start, end = min(part.start for part in met), max(part.end for part in met)
        x, y, z = (o + start * d for o, d in zip(origin, direction))
        z -= max(-half, min(z, half))
        return Crossing(start, end, (x / radius, y / radius, z / radius))

    def _core(self) -> list[Triple]:
        """Ends of the line in the middle, in the world."""
        return [self._frame.to_world((0.0, 0.0, z)) for z in (self._half, -self._half)]

    def _near(self, point: Triple, reach: float) -> bool:
        return self._to_line(self._frame.to_local(point)) <= self._radius + reach

    def _farthest(self, point: Triple) -> float:
        return max(math.dist(end, point) for end in self._core()) + self._radius

    def _support(self, direction: Triple) -> float:
        return max(dot(end, direction) for end in self._core()) + self._radius

    def _intersects(self, other: Any) -> Any:
        if not isinstance(other, (BoxCollider, CapsuleCollider)):
            return NotImplemented
        frame, solid = other._frame, other._solid
        start, end = (frame.to_local(point) for point in self._core())
        step = tuple(b - a for a, b in zip(start, end))
        reach = self._radius + solid.radius + self._touch(other)
        return segment_to_box(start, step, solid.half) <= reach

    def _contains(self, other: Any) -> bool:
        # Convex shapes: when the corners of the other's core are inside deep enough, all of it is.
        reach = self._radius - other._solid.radius + self._touch(other)
        return all(self._to_line(self._frame.to_local(corner)) <= reach for corner in other._core())
