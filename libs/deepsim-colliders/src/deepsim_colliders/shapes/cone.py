# SPDX-License-Identifier: Apache-2.0
"""Cones."""

from __future__ import annotations

import math
from typing import SupportsFloat

from deepsim_colliders._follower import ORIGIN
from deepsim_colliders._frames import Triple
from deepsim_colliders._measures import positive
from deepsim_colliders.convex_collider import ConvexCollider
from deepsim_math import Pose


class ConeCollider(ConvexCollider):
    """Solid cone along the z axis of its frame, its tip up and its frame half-way.

    >>> cone = ConeCollider(radius=1.0, length=2.0)
    >>> cone.contains((0.4, 0, 0)), cone.contains((0.6, 0, 0))
    (True, False)

    Args:
        radius: of its base [m], > 0.
        length: from the base to the tip [m], > 0.
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
        """Radius of the base [m]."""
        return self._radius

    @property
    def length(self) -> float:
        """Length from the base to the tip [m]."""
        return 2.0 * self._half

    def _sizes(self) -> str:
        return f"radius={self._radius}, length={self.length}"

    def support_point(self, direction: Triple) -> Triple:
        """Returns the tip, or the point of the rim farthest along a direction of the frame."""
        x, y, z = direction
        aside = math.hypot(x, y)
        if z * self.length > aside * self._radius:
            return 0.0, 0.0, self._half
        part = self._radius / aside if aside > 0.0 else 0.0
        return part * x, part * y, -self._half

    def _gap_to(self, point: Triple) -> tuple[float, Triple]:
        """Returns distance and direction of the nearest point, found in the plane of the axis."""
        x, y, z = point
        aside, up = math.hypot(x, y), z + self._half
        slant = math.hypot(self._radius, self.length)
        outside = ((aside - self._radius) * self.length + up * self._radius) / slant
        if outside <= 0.0 and up >= 0.0:
            return 0.0, (0.0, 0.0, 0.0)
        if up < 0.0 and aside <= self._radius:
            return -up, (0.0, 0.0, -1.0)
        climbed = ((self._radius - aside) * self._radius + up * self.length) / slant
        if climbed <= 0.0:  # the rim
            away = aside - self._radius, up
        elif climbed >= slant:  # the tip
            away = aside, up - self.length
        else:
            away = outside * self.length / slant, outside * self._radius / slant
        distance = math.hypot(*away)
        part = away[0] / (distance * aside) if aside > 0.0 else 0.0
        return distance, (part * x, part * y, away[1] / distance)
