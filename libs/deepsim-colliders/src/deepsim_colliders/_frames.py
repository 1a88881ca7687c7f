# SPDX-License-Identifier: Apache-2.0
"""Poses unpacked for fast changes of coordinates between the world and a collider."""

from __future__ import annotations

import math
from operator import mul
from typing import Any, Iterable, Tuple

from deepsim_math import Pose

Pair = Tuple[float, float]
Triple = Tuple[float, float, float]


def dot(a: Iterable[float], b: Iterable[float]) -> float:
    """Returns the scalar product in any number of dimensions."""
    return math.fsum(map(mul, a, b))


class Frame:
    """Origin and unit axes of a pose, in 2D or 3D; points and vectors are tuples."""

    __slots__ = ("_columns", "axes", "origin")

    def __init__(self, origin: Any, axes: Any) -> None:
        self.origin, self.axes = origin, axes
        self._columns = tuple(zip(*axes))

    def to_local(self, point: Any) -> Any:
        """Transforms a point from the world to this frame."""
        return self.turn_to_local([p - o for p, o in zip(point, self.origin)])

    def turn_to_local(self, vector: Any) -> Any:
        """Rotates a direction from the world to this frame."""
        return tuple([sum(map(mul, vector, axis)) for axis in self.axes])

    def turn_to_world(self, vector: Any) -> Any:
        """Rotates a direction from this frame to the world."""
        return tuple([sum(map(mul, vector, column)) for column in self._columns])

    def to_world(self, point: Any) -> Any:
        """Transforms a point from this frame to the world."""
        return tuple([o + v for o, v in zip(self.origin, self.turn_to_world(point))])


def frame_2d(pose: Pose) -> Frame:
    """Returns the frame of a pose seen from above.

    The yaw is the direction of the forward axis on the ground, or 0 if this axis is vertical.
    """
    forward = pose.forward
    length = math.hypot(forward.x, forward.y)
    vertical = length < 1e-9
    cos, sin = (1.0, 0.0) if vertical else (forward.x / length, forward.y / length)
    return Frame((pose.position.x, pose.position.y), ((cos, sin), (-sin, cos)))


def frame_3d(pose: Pose) -> Frame:
    """Returns the frame of a pose."""
    x, y, z, w = pose.orientation.normalized()
    axes = (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)),
        (2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)),
        (2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)),
    )
    return Frame(tuple(pose.position), axes)
