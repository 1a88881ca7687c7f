# SPDX-License-Identifier: Apache-2.0
"""The protocol of objects that a collider may be attached to."""

from __future__ import annotations

from typing import Protocol

from deepsim_math import Pose


class PoseSource(Protocol):
    """Anything that has a pose in the world frame: a transform, a body, a test double.

    >>> from deepsim_colliders import SphereCollider
    >>> from deepsim_math import Pose
    >>> class Robot:
    ...     pose = Pose((1, 2, 0))
    >>> bumper = SphereCollider(0.3)
    >>> bumper.attach(Robot())
    >>> bumper.pose.position
    Point(1.0, 2.0, 0.0)
    """

    @property
    def pose(self) -> Pose:
        """Pose in the world frame; each query reads it."""
