# SPDX-License-Identifier: Apache-2.0
"""Discs."""

from __future__ import annotations

import shapely

from deepsim_colliders.collider_2d import Collider2D

from ._ball import BallCollider


class CircleCollider(BallCollider, Collider2D):
    """Disc about the origin of its frame, exactly round.

    >>> from deepsim_colliders import RectangleCollider
    >>> from deepsim_math import Pose
    >>> disc = CircleCollider(1.0)
    >>> disc.intersects(RectangleCollider(2.0, 0.5, pose_offset=Pose((1.5, 0, 9))))  # z is ignored
    True

    Args:
        radius: [m], > 0.
        pose_offset: see `Collider`.
    """

    def _flat(self) -> tuple[shapely.Geometry, float]:
        return shapely.Point(self._frame.origin), self._radius
