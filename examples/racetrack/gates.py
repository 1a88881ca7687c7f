# SPDX-License-Identifier: Apache-2.0
"""Gates across the road: who takes a short cut misses one, and his metres stop counting there."""

from __future__ import annotations

import math

from deepsim_colliders import RectangleCollider
from deepsim_math import Euler, Pose

from .centreline import WIDTH, Centreline

COUNT = 12
"""Gates of a lap, evenly spaced; gate 0 is where the course begins."""
DEPTH = 0.1
"""How far a gate reaches along the road [m]; a car at full speed drives 0.15 m in a step."""


class Gates:
    """The gates of a course, as colliders.

    Gates are counted on and on: gate ``COUNT`` is gate 0 in the second lap.

    Args:
        course: The road that they stand across.
    """

    def __init__(self, course: Centreline) -> None:
        self._spacing = course.length / COUNT
        self._colliders = []
        for number in range(COUNT):
            distance = number * self._spacing
            x, y = course.point(distance)
            pose = Pose((x, y, 0.0), Euler(yaw=course.heading(distance)))
            self._colliders.append(RectangleCollider(DEPTH, WIDTH, pose_offset=pose))

    def after(self, distance: float) -> int:
        """Number of the first gate beyond a place along the course [m]."""
        return math.floor(distance / self._spacing) + 1

    def distance(self, number: int) -> float:
        """Where a gate is along the course [m]; beyond its length in later laps."""
        return number * self._spacing

    def collider(self, number: int) -> RectangleCollider:
        """The gate's outline on the ground."""
        return self._colliders[number % COUNT]
