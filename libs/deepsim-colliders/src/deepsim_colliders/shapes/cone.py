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
        """The tip, or the point of the rim that is farthest along a direction of the frame."""
        x, y, z = direction
        aside = math.hypot(x, y)
        if z * self.length > aside * self._radius:
            return 0.0, 0.0, self._half
        part = self._radius / aside if aside > 0.0 else 0.0
        return part * x, part * y, -self._half
