# SPDX-License-Identifier: Apache-2.0
"""Capsules."""

from __future__ import annotations

import math
from typing import Any

from deepsim_colliders._crossings import Crossing, cross_ball, cross_box
from deepsim_colliders._frames import Triple, dot
from deepsim_colliders._segments import segment_to_box
from deepsim_colliders._shape import CAPSULE, Solid
from deepsim_colliders.convex.vectors import along, scaled, unit
from deepsim_colliders.convex_collider import Level

from ._round import RoundCollider
from .box import BoxCollider


class CapsuleCollider(RoundCollider):
    """Cylinder along z with hemispherical ends, centred on its frame.

    It consists of all points within `radius` of a line of `length`, as in MuJoCo and SDF.

    >>> arm = CapsuleCollider(radius=0.1, length=1.0)
    >>> arm.contains((0, 0, 0.59)), arm.contains((0.1, 0, 0.59))
    (True, False)

    Args:
        radius: radius [m], > 0.
        length: length of the cylinder without its ends [m], > 0.
    """

    @property
    def _solid(self) -> Solid:
        return Solid(CAPSULE, (0.0, 0.0, self._half), self._radius)

    @property
    def _size(self) -> float:
        return self._half + self._radius

    def _holds(self, point: Triple) -> bool:
        return self._to_line(point) <= self._radius + self._gap

    def _to_line(self, point: Triple) -> float:
        """Returns the distance of a point in the frame from the central line."""
        x, y, z = point
        return math.hypot(x, y, max(abs(z) - self._half, 0.0))

    def _cross(self, origin: Triple, direction: Triple) -> Crossing | None:
        # The capsule is convex: from the first entry into any of its three parts to the last exit.
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

    def support_point(self, direction: Triple) -> Triple:
        """Returns the farthest point of the surface along a direction of the frame."""
        return along(self._core_point(direction), self._radius, unit(direction))

    @property
    def _rounding(self) -> float:  # type: ignore[override]  # fixed, as that of the base class
        return self._radius

    def _core_point(self, direction: Triple) -> Triple:
        return 0.0, 0.0, math.copysign(self._half, direction[2])

    def _core_corners(self) -> list[Triple]:
        return [(0.0, 0.0, self._half), (0.0, 0.0, -self._half)]

    def _ends(self) -> list[Triple]:
        """Returns the ends of the central line in the world frame."""
        return [self._frame.to_world(end) for end in self._core_corners()]

    def _near(self, point: Triple, reach: float) -> bool:
        return self._to_line(self._frame.to_local(point)) <= self._radius + reach

    def _farthest(self, point: Triple) -> float:
        return max(math.dist(end, point) for end in self._ends()) + self._radius

    def _support(self, direction: Triple) -> float:
        return max(dot(end, direction) for end in self._ends()) + self._radius

    def _intersects(self, other: Any) -> Any:
        if not isinstance(other, (BoxCollider, CapsuleCollider)):
            return NotImplemented
        frame, solid = other._frame, other._solid
        start, end = (frame.to_local(point) for point in self._ends())
        step = tuple(b - a for a, b in zip(start, end))
        reach = self._radius + solid.radius + self._touch(other)
        return segment_to_box(start, step, solid.half) <= reach

    def _levels(self) -> list[Level]:
        def level(point: Triple) -> tuple[float, Triple]:
            distance, direction = self._gap_to(point)
            return distance - self._radius, direction

        return [level]

    def _gap_to(self, point: Triple) -> tuple[float, Triple]:
        x, y, z = point
        out = (x, y, z - max(-self._half, min(z, self._half)))
        distance = math.hypot(*out)
        return distance, scaled(out, 1.0 / distance) if distance > 0.0 else out
