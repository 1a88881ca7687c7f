# SPDX-License-Identifier: Apache-2.0
"""The first DeepSim's way of colliders, written anew at the same cost: what it was to be beaten.

One object with a NumPy buffer per vector, one Python call per pair, and everything computed again
for every question. Its answers are right, which the first DeepSim's were not.
"""

from __future__ import annotations

import itertools

import numpy as np


class Vector:
    """Three numbers in an array."""

    def __init__(self, x: float, y: float, z: float) -> None:
        self.buffer = np.array([x, y, z], dtype=float)

    def __add__(self, other: Vector) -> Vector:
        return Vector(*(self.buffer + other.buffer))

    def __sub__(self, other: Vector) -> Vector:
        return Vector(*(self.buffer - other.buffer))

    def __mul__(self, factor: float) -> Vector:
        return Vector(*(self.buffer * factor))

    def dot(self, other: Vector) -> float:
        return float(np.dot(self.buffer, other.buffer))

    def cross(self, other: Vector) -> Vector:
        return Vector(*np.cross(self.buffer, other.buffer))

    def rotated(self, quaternion: np.ndarray) -> Vector:
        x, y, z, w = quaternion
        axis = Vector(x, y, z)
        twice = axis.cross(self) * 2.0
        return self + twice * w + axis.cross(twice)


class Box:
    """A box with a position, a quaternion and three lengths."""

    def __init__(self, pose: np.ndarray, sizes: np.ndarray) -> None:
        self.position = Vector(*pose[:3])
        self.quaternion = pose[3:]
        self.sizes = sizes

    def axes(self) -> list[Vector]:
        """Its three directions, in the world."""
        return [Vector(*row).rotated(self.quaternion) for row in np.eye(3)]

    def corners(self) -> list[Vector]:
        """Its eight corners, in the world."""
        signs = itertools.product((-0.5, 0.5), repeat=3)
        return [
            self.position + Vector(*(np.array(sign) * self.sizes)).rotated(self.quaternion)
            for sign in signs
        ]

    def intersects(self, other: Box) -> bool:
        """Separating axes, with the corners of both for each."""
        mine, theirs = self.axes(), other.axes()
        directions = [*mine, *theirs, *(a.cross(b) for a in mine for b in theirs)]
        return not any(self._apart(other, direction) for direction in directions)

    def _apart(self, other: Box, direction: Vector) -> bool:
        if np.allclose(direction.buffer, 0.0):
            return False
        ours = [corner.dot(direction) for corner in self.corners()]
        others = [corner.dot(direction) for corner in other.corners()]
        return max(ours) < min(others) or max(others) < min(ours)

    def raycast(self, origin: Vector, direction: Vector) -> float | None:
        """Distance to where a ray enters, by slabs."""
        start, end = -np.inf, np.inf
        gap = self.position - origin
        for axis, size in zip(self.axes(), self.sizes, strict=True):
            along, speed = axis.dot(gap), axis.dot(direction)
            if np.isclose(speed, 0.0):
                if abs(along) > 0.5 * size:
                    return None
                continue
            near, far = sorted([(along - 0.5 * size) / speed, (along + 0.5 * size) / speed])
            start, end = np.maximum(start, near), np.minimum(end, far)
        return float(max(start, 0.0)) if max(start, 0.0) <= end else None
