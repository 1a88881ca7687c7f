# SPDX-License-Identifier: Apache-2.0
"""The first DeepSim's way of maths, written anew at the same cost: what it was to be beaten.

Every vector and quaternion is an object around a NumPy buffer, and each coordinate is read through
a property. Its answers are right, which the first DeepSim's were not always.
"""

from __future__ import annotations

import math

import numpy as np


def buffer_of(values: list[float], buffer: np.ndarray | None) -> np.ndarray:
    """The array of an object: its own, or one that it shall share."""
    if buffer is None:
        return np.array(values, dtype=float)
    if len(buffer) < len(values):
        raise ValueError(f"a buffer of {len(values)} numbers is needed, got {len(buffer)}")
    return buffer


class Vector:
    """Three numbers in an array."""

    def __init__(
        self, x: float = 0.0, y: float = 0.0, z: float = 0.0, *, buffer: np.ndarray | None = None
    ) -> None:
        self._buffer = buffer_of([x, y, z], buffer)

    x = property(lambda self: self._buffer[0])
    y = property(lambda self: self._buffer[1])
    z = property(lambda self: self._buffer[2])

    def copy(self) -> Vector:
        return Vector(self.x, self.y, self.z)

    def __add__(self, other: Vector) -> Vector:
        return Vector(*(self._buffer + other._buffer))


class Quaternion:
    """Four numbers in an array."""

    def __init__(
        self,
        x: float = 0.0,
        y: float = 0.0,
        z: float = 0.0,
        w: float = 1.0,
        *,
        buffer: np.ndarray | None = None,
    ) -> None:
        self._buffer = buffer_of([x, y, z, w], buffer)

    x = property(lambda self: self._buffer[0])
    y = property(lambda self: self._buffer[1])
    z = property(lambda self: self._buffer[2])
    w = property(lambda self: self._buffer[3])

    def copy(self) -> Quaternion:
        return Quaternion(self.x, self.y, self.z, self.w)

    def __mul__(self, other: Quaternion) -> Quaternion:
        return Quaternion(
            self.w * other.x + self.x * other.w + self.y * other.z - self.z * other.y,
            self.w * other.y - self.x * other.z + self.y * other.w + self.z * other.x,
            self.w * other.z + self.x * other.y - self.y * other.x + self.z * other.w,
            self.w * other.w - self.x * other.x - self.y * other.y - self.z * other.z,
        )

    def rotate(self, vector: Vector) -> Vector:
        x, y, z, w = self.x, self.y, self.z, self.w
        x2, y2, z2 = 2.0 * x, 2.0 * y, 2.0 * z
        xx, yy, zz = x * x2, y * y2, z * z2
        xy, xz, yz = x * y2, x * z2, y * z2
        wx, wy, wz = w * x2, w * y2, w * z2
        return Vector(
            (1.0 - (yy + zz)) * vector.x + (xy - wz) * vector.y + (xz + wy) * vector.z,
            (xy + wz) * vector.x + (1.0 - (xx + zz)) * vector.y + (yz - wx) * vector.z,
            (xz - wy) * vector.x + (yz + wx) * vector.y + (1.0 - (xx + yy)) * vector.z,
        )

    def slerp(self, other: Quaternion, t: float) -> Quaternion:
        t = np.clip(t, 0.0, 1.0)
        dot = np.dot(self._buffer, other._buffer)
        end = -other._buffer if dot < 0.0 else other._buffer
        angle = math.acos(np.clip(abs(dot), -1.0, 1.0))
        sine = math.sin(angle)
        if sine == 0.0:
            return self.copy()
        start = self._buffer * (math.sin((1.0 - t) * angle) / sine)
        return Quaternion(*(start + end * (math.sin(t * angle) / sine)))


class Pose:
    """A vector and a quaternion; reading one makes a copy."""

    def __init__(self, position: Vector, orientation: Quaternion) -> None:
        self._position, self._orientation = position.copy(), orientation.copy()

    position = property(lambda self: self._position.copy())
    orientation = property(lambda self: self._orientation.copy())

    def __add__(self, other: Pose) -> Pose:
        return Pose(
            self.position + self.orientation.rotate(other.position),
            self.orientation * other.orientation,
        )


def lerp_angle(a: float, b: float, t: float) -> float:
    turn = 2.0 * math.pi
    gap = b - a
    gap = np.clip(gap - math.floor(gap / turn) * turn, 0.0, turn)
    if gap > math.pi:
        gap -= turn
    return a + gap * np.clip(t, 0.0, 1.0)


def quaternion(roll: float, pitch: float, yaw: float) -> Quaternion:
    sr, cr = np.sin(0.5 * roll), np.cos(0.5 * roll)
    sp, cp = np.sin(0.5 * pitch), np.cos(0.5 * pitch)
    sy, cy = np.sin(0.5 * yaw), np.cos(0.5 * yaw)
    return Quaternion(
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
        cr * cp * cy + sr * sp * sy,
    )
