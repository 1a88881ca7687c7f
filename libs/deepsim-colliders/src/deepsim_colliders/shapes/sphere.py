# SPDX-License-Identifier: Apache-2.0
"""Balls."""

from __future__ import annotations

from deepsim_colliders._frames import Triple
from deepsim_colliders.convex.vectors import scaled, unit
from deepsim_colliders.convex_collider import ConvexCollider

from ._ball import BallCollider


class SphereCollider(BallCollider, ConvexCollider):
    """Solid ball about the origin of its frame.

    >>> SphereCollider(1.0).distance((3, 0, 0))
    2.0

    Args:
        radius: [m], > 0.
        pose_offset: see `Collider`.
    """

    _is_point = True

    def support_point(self, direction: Triple) -> Triple:
        """Returns the point of the surface that is farthest along a direction of the frame."""
        return scaled(unit(direction), self._radius)

    @property
    def _rounding(self) -> float:  # type: ignore[override]  # fixed, as that of the base class
        return self._radius

    def _core_point(self, direction: Triple) -> Triple:
        return 0.0, 0.0, 0.0

    def _core_corners(self) -> list[Triple]:
        return [(0.0, 0.0, 0.0)]
