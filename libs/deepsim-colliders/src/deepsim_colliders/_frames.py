# SPDX-License-Identifier: Apache-2.0
"""Poses unpacked for fast changes of coordinates between the world and a collider."""

from __future__ import annotations

import math
from operator import mul
from typing import Iterable, Tuple

from deepsim_math import Pose

Pair = Tuple[float, float]
Triple = Tuple[float, float, float]


def dot(a: Iterable[float], b: Iterable[float]) -> float:
    """Returns the scalar product in any number of dimensions."""
    return math.fsum(map(mul, a, b))


class Frame2D:
    """Origin (x, y) and unit x and y axes of a pose seen from above.

    The yaw is the direction of the forward axis on the ground, or 0 if this axis is vertical.
    """

    __slots__ = ("axes", "origin")

    def __init__(self, pose: Pose) -> None:
        forward = pose.forward
        length = math.hypot(forward.x, forward.y)
        vertical = length < 1e-9
        cos, sin = (1.0, 0.0) if vertical else (forward.x / length, forward.y / length)
        self.origin: Pair = (pose.position.x, pose.position.y)
        self.axes: tuple[Pair, Pair] = ((cos, sin), (-sin, cos))

    def to_local(self, point: Pair) -> Pair:
        """Transforms a point from the world to this frame."""
        return self.turn_to_local((point[0] - self.origin[0], point[1] - self.origin[1]))

    def turn_to_local(self, vector: Pair) -> Pair:
        """Rotates a direction from the world to this frame."""
        x, y = vector
        (xx, xy), (yx, yy) = self.axes
        return x * xx + y * xy, x * yx + y * yy

    def turn_to_world(self, vector: Pair) -> Pair:
        """Rotates a direction from this frame to the world."""
        x, y = vector
        (xx, xy), (yx, yy) = self.axes
        return x * xx + y * yx, x * xy + y * yy

    def to_world(self, point: Pair) -> Pair:
        """Transforms a point from this frame to the world."""
        x, y = self.turn_to_world(point)
        return self.origin[0] + x, self.origin[1] + y


class Frame3D:
    """Origin and unit x, y and z axes of a pose."""

    __slots__ = ("axes", "origin")

    def __init__(self, pose: Pose) -> None:
        position = pose.position
        x, y, z, w = pose.orientation.normalized()
        self.origin: Triple = (position.x, position.y, position.z)
        self.axes: tuple[Triple, Triple, Triple] = (
            (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)),
            (2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)),
            (2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)),
        )

    def to_local(self, point: Triple) -> Triple:
        """Transforms a point from the world to this frame."""
        x, y, z = point
        ox, oy, oz = self.origin
        return self.turn_to_local((x - ox, y - oy, z - oz))

    def turn_to_local(self, vector: Triple) -> Triple:
        """Rotates a direction from the world to this frame."""
        x, y, z = vector
        (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = self.axes
        return (
            x * xx + y * xy + z * xz,
            x * yx + y * yy + z * yz,
            x * zx + y * zy + z * zz,
        )

    def turn_to_world(self, vector: Triple) -> Triple:
        """Rotates a direction from this frame to the world."""
        x, y, z = vector
        (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = self.axes
        return (
            x * xx + y * yx + z * zx,
            x * xy + y * yy + z * zy,
            x * xz + y * yz + z * zz,
        )

    def to_world(self, point: Triple) -> Triple:
        """Transforms a point from this frame to the world."""
        x, y, z = self.turn_to_world(point)
        ox, oy, oz = self.origin
        return ox + x, oy + y, oz + z
