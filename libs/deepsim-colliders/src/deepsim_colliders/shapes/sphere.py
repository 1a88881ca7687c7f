# SPDX-License-Identifier: Apache-2.0
"""Balls."""

from __future__ import annotations

from deepsim_colliders.collider_3d import Collider3D

from ._ball import BallCollider


class SphereCollider(BallCollider, Collider3D):
    """Solid ball about the origin of its frame.

    Args:
        radius: [m], > 0.
        pose_offset: see `Collider`.
    """
