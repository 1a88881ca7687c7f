# SPDX-License-Identifier: Apache-2.0
"""Discs."""

from __future__ import annotations

from deepsim_colliders.collider_2d import Collider2D

from ._ball import BallCollider


class CircleCollider(BallCollider, Collider2D):
    """Disc about the origin of its frame, exactly round.

    Args:
        radius: [m], > 0.
        pose_offset: see `Collider`.
    """
