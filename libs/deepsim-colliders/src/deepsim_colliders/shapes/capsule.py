# SPDX-License-Identifier: Apache-2.0
"""Capsules."""

from __future__ import annotations

import math
from typing import SupportsFloat

from deepsim_colliders._borders import positive
from deepsim_colliders._crossings import Crossing, cross_ball, cross_box
from deepsim_colliders._frames import Triple
from deepsim_colliders._shape import CAPSULE, Solid
from deepsim_colliders.collider import ORIGIN
from deepsim_colliders.collider_3d import Collider3D
from deepsim_math import Pose


class CapsuleCollider(Collider3D):
    """Cylinder along z with hemispherical ends, centred on its frame.

    It consists of all points within `radius` of a line of `length`, as in MuJoCo and SDF.

    >>> arm = CapsuleCollider(radius=0.1, length=1.0)
    >>> arm.contains((0, 0, 0.59)), arm.contains((0.1, 0, 0.59))
    (True, False)

    Args:
        radius: radius [m], > 0.
        length: length of the cylinder without its ends [m], > 0.
    """

    def __init__(
        self, radius: SupportsFloat, length: SupportsFloat, *, pose_offset: Pose = ORIGIN
    ) -> None:
        super().__init__(pose_offset)
        self._radius = positive(radius, "radius")
        self._half = 0.5 * positive(length, "length")
        self._numbers = Solid(CAPSULE, (0.0, 0.0, self._half), self._radius)

    @property
    def radius(self) -> float:
        """Radius [m]."""
        return self._radius

    @property
    def length(self) -> float:
        """Length along z [m], without its ends."""
        return 2.0 * self._half

    def _sizes(self) -> str:
        return f"radius={self._radius}, length={self.length}"

    @property
    def margin(self) -> float:
        """Distance by which the shape extends beyond its core, the central line [m]."""
        return self._radius

    def support_point(self, direction: Triple) -> Triple:
        """Returns the end of the central line along a direction of the frame."""
        return 0.0, 0.0, math.copysign(self._half, direction[2])

    def _core_corners(self) -> list[Triple]:
        return [(0.0, 0.0, self._half), (0.0, 0.0, -self._half)]

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
