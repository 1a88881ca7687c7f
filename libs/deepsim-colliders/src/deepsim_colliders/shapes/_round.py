# SPDX-License-Identifier: Apache-2.0
"""The base class of shapes with a radius and a length along z."""

from __future__ import annotations

from typing import SupportsFloat

from deepsim_colliders._borders import positive
from deepsim_colliders._follower import ORIGIN
from deepsim_colliders.convex_collider import ConvexCollider
from deepsim_math import Pose


class RoundCollider(ConvexCollider):
    """Convex shape of revolution about the z axis of its frame."""

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
        """Length along z [m]; for a capsule, without its ends."""
        return 2.0 * self._half

    def _sizes(self) -> str:
        return f"radius={self._radius}, length={self.length}"
