# SPDX-License-Identifier: Apache-2.0
"""Rotations: unit quaternions and roll-pitch-yaw angles."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import TYPE_CHECKING, Any, SupportsFloat, TypeVar, overload

import numpy as np

from ._coordinates import Coordinates, draft_coordinates, xyz
from ._formulas import (
    euler_angles,
    great_arc,
    matrix_quaternion,
    rotation_matrix,
    unit,
)
from ._numbers import number, numbers
from ._value import Row, drafts_of, slot_setters
from .vector3 import Vector3

if TYPE_CHECKING:
    from ._typing import FloatArray, Numbers, RotationLike, VectorLike

C = TypeVar("C", bound=Coordinates)

_UP = Vector3.up()


class Euler(Row):
    """Roll, pitch, yaw [rad] about fixed axes, x then y then z: R = Rz(yaw) Ry(pitch) Rx(roll).

    The convention of ROS (tf "sxyz"), Gazebo and scipy's "xyz". Angles are kept as given, not
    wrapped; equality compares the numbers, so two triples of one rotation may differ.
    """

    _names = ("roll", "pitch", "yaw")
    __slots__ = _names

    roll: float
    pitch: float
    yaw: float

    _fields = attrgetter("roll", "pitch", "yaw")

    def __init__(
        self, roll: SupportsFloat = 0.0, pitch: SupportsFloat = 0.0, yaw: SupportsFloat = 0.0
    ) -> None:
        _set_roll(self, roll if type(roll) is float else number(roll, "roll"))
        _set_pitch(self, pitch if type(pitch) is float else number(pitch, "pitch"))
        _set_yaw(self, yaw if type(yaw) is float else number(yaw, "yaw"))

    def to_quaternion(self) -> Quaternion:
        """Convert to the unit quaternion of the same rotation."""
        return Quaternion.from_euler(self)

    def isclose(self, other: Euler, rel_tol: float = 1e-9, abs_tol: float = 1e-9) -> bool:
        """Whether it is the same rotation within the tolerances (see `Quaternion.isclose`)."""
        return self.to_quaternion().isclose(other.to_quaternion(), rel_tol, abs_tol)


class Quaternion(Row):
    """Rotation as a quaternion in the order of ROS: x, y, z, w.

    The constructor keeps the numbers as given. `rotate`, `to_euler`, `to_matrix`, `slerp` and
    `inverse` read any non-zero quaternion as the rotation of its unit quaternion. A quaternion and
    its negative are the same rotation, yet they are not equal: ask `isclose`.

    >>> Quaternion.from_euler(0, 0, math.pi).rotate(Vector3(1, 0, 0)).isclose((-1, 0, 0))
    True
    """

    _names = ("x", "y", "z", "w")
    __slots__ = _names

    x: float
    y: float
    z: float
    w: float

    _fields = attrgetter("x", "y", "z", "w")

    def __init__(
        self,
        x: SupportsFloat = 0.0,
        y: SupportsFloat = 0.0,
        z: SupportsFloat = 0.0,
        w: SupportsFloat = 1.0,
    ) -> None:
        _set_x(self, x if type(x) is float else number(x, "x"))
        _set_y(self, y if type(y) is float else number(y, "y"))
        _set_z(self, z if type(z) is float else number(z, "z"))
        _set_w(self, w if type(w) is float else number(w, "w"))

    @classmethod
    def identity(cls) -> Quaternion:
        """Make the rotation that turns nothing."""
        return cls(0.0, 0.0, 0.0, 1.0)

    @classmethod
    def from_wxyz(cls, values: Numbers) -> Quaternion:
        """Make one from w, x, y, z: the order of MuJoCo, transforms3d and PyGLM."""
        w, x, y, z = numbers(values, 4, "a quaternion")
        return cls(x, y, z, w)

    def to_wxyz(self) -> FloatArray:
        """Give w, x, y, z as a float64 array of shape (4,)."""
        return np.array([self.w, self.x, self.y, self.z])

    @overload
    @classmethod
    def from_euler(cls, roll: Euler) -> Quaternion: ...
    @overload
    @classmethod
    def from_euler(
        cls, roll: SupportsFloat, pitch: SupportsFloat, yaw: SupportsFloat
    ) -> Quaternion: ...
    @classmethod
    def from_euler(
        cls,
        roll: Euler | SupportsFloat,
        pitch: SupportsFloat = 0.0,
        yaw: SupportsFloat = 0.0,
    ) -> Quaternion:
        """Convert fixed-axis roll, pitch, yaw [rad], given as three numbers or one Euler."""
        if isinstance(roll, Euler):
            roll, pitch, yaw = roll
        half_roll = 0.5 * (roll if type(roll) is float else number(roll, "roll"))
        half_pitch = 0.5 * (pitch if type(pitch) is float else number(pitch, "pitch"))
        half_yaw = 0.5 * (yaw if type(yaw) is float else number(yaw, "yaw"))
        sr, cr = math.sin(half_roll), math.cos(half_roll)
        sp, cp = math.sin(half_pitch), math.cos(half_pitch)
        sy, cy = math.sin(half_yaw), math.cos(half_yaw)
        return _make(
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
            cr * cp * cy + sr * sp * sy,
        )

    def to_euler(self) -> Euler:
        """Convert to roll and yaw in (-pi, pi] and pitch in [-pi/2, pi/2].

        At gimbal lock (pitch at +-pi/2) only roll - yaw or roll + yaw is defined; yaw is 0 there,
        as in ROS tf.

        Raises:
            ValueError: when the length is zero.
        """
        return Euler(*euler_angles(*unit(self)))

    @classmethod
    def from_axis_angle(cls, axis: VectorLike, angle: SupportsFloat) -> Quaternion:
        """Turn by `angle` [rad] about `axis` (any length) by the right-hand rule.

        Raises:
            ValueError: when `axis` has zero length.
        """
        direction = Vector3(*xyz(axis)).normalized()
        half = 0.5 * number(angle, "angle")
        s = math.sin(half)
        return _make(s * direction.x, s * direction.y, s * direction.z, math.cos(half))

    @classmethod
    def from_matrix(cls, matrix: Any) -> Quaternion:
        """Convert a (3, 3) rotation matrix.

        Raises:
            ValueError: when `matrix` has another shape or is not a rotation (within 1e-3).
        """
        array = np.asarray(matrix, dtype=np.float64)
        if array.shape != (3, 3):
            raise ValueError(f"a rotation matrix has shape (3, 3), got {array.shape}")
        if np.abs(array @ array.T - np.eye(3)).max() > 1e-3 or np.linalg.det(array) < 0.0:
            raise ValueError(f"not a rotation matrix (orthonormal, determinant 1): {matrix!r}")
        return _make(*matrix_quaternion(*array.ravel().tolist()))

    def to_matrix(self) -> FloatArray:
        """Give the (3, 3) rotation matrix; its columns are the rotated forward, left and up.

        Raises:
            ValueError: when the length is zero.
        """
        return np.array(rotation_matrix(*unit(self))).reshape(3, 3)

    @classmethod
    def look_rotation(cls, forward: VectorLike, up: VectorLike = _UP) -> Quaternion:
        """Turn x (forward) to `forward` and z (up) as near to `up` as that allows.

        When `forward` lies along `up`, the left side stays as near to (0, 1, 0) as it can, so that
        looking straight up or down is a pure pitch.

        Raises:
            ValueError: when `forward` or `up` has zero length.
        """
        x_axis = Vector3(*xyz(forward)).normalized()
        left = Vector3(*xyz(up)).normalized().cross(x_axis)
        if left.length < 1e-9:
            side = Vector3.left() if abs(x_axis.y) < 0.9 else Vector3.back()
            left = side - side.project(x_axis)
        y_axis = left.normalized()
        z_axis = x_axis.cross(y_axis)
        rows = zip(x_axis, y_axis, z_axis)
        return _make(*matrix_quaternion(*(entry for row in rows for entry in row)))

    @property
    def length(self) -> float:
        """Euclidean length, 1 for a unit quaternion."""
        return math.hypot(self.x, self.y, self.z, self.w)

    def normalized(self) -> Quaternion:
        """Make the unit quaternion of the same rotation.

        Raises:
            ValueError: when the length is zero.
        """
        return _make(*unit(self))

    def conjugate(self) -> Quaternion:
        """Negate x, y, z: the inverse of a unit quaternion."""
        return _make(-self.x, -self.y, -self.z, self.w)

    def inverse(self) -> Quaternion:
        """Make the quaternion whose product with this one is the identity.

        Raises:
            ValueError: when the length is zero.
        """
        x, y, z, w = self.x, self.y, self.z, self.w
        square = x * x + y * y + z * z + w * w
        if square == 0.0:
            raise ValueError(f"{self!r} has no inverse: its length is zero")
        return _make(-x / square, -y / square, -z / square, w / square)

    def dot(self, other: Quaternion) -> float:
        """Scalar product of the four components."""
        return self.x * other.x + self.y * other.y + self.z * other.z + self.w * other.w

    def __mul__(self, other: Any) -> Quaternion:
        """Hamilton product: the rotation that first does `other`, then this one."""
        if type(other) is not Quaternion and not isinstance(other, Quaternion):
            return NotImplemented
        ax, ay, az, aw = self.x, self.y, self.z, self.w
        bx, by, bz, bw = other.x, other.y, other.z, other.w
        product: Quaternion = _draft()
        product.x = aw * bx + ax * bw + ay * bz - az * by
        product.y = aw * by - ax * bz + ay * bw + az * bx
        product.z = aw * bz + ax * by - ay * bx + az * bw
        product.w = aw * bw - ax * bx - ay * by - az * bz
        product.__class__ = Quaternion
        return product

    __matmul__ = __mul__

    def __neg__(self) -> Quaternion:
        return _make(-self.x, -self.y, -self.z, -self.w)

    @overload
    def rotate(self, vector: C) -> C: ...
    @overload
    def rotate(self, vector: Numbers) -> Vector3: ...
    def rotate(self, vector: Any) -> Any:
        """Turn a Vector3 or a Point (about the origin); a sequence becomes a Vector3.

        Raises:
            ValueError: when the length is zero.
        """
        if type(vector) is not Vector3 and not isinstance(vector, Coordinates):
            vector = Vector3(*xyz(vector))
        # As `turn` does, without its call: this is what most programs do most.
        x, y, z, w = self.x, self.y, self.z, self.w
        vx, vy, vz = vector.x, vector.y, vector.z
        square = x * x + y * y + z * z + w * w
        if square == 0.0:
            raise ValueError(f"{self!r} is no rotation: its length is zero")
        scale = 2.0 / square
        tx = scale * (y * vz - z * vy)
        ty = scale * (z * vx - x * vz)
        tz = scale * (x * vy - y * vx)
        turned = draft_coordinates()
        turned.x = vx + w * tx + y * tz - z * ty
        turned.y = vy + w * ty + z * tx - x * tz
        turned.z = vz + w * tz + x * ty - y * tx
        turned.__class__ = type(vector)
        return turned

    def slerp(self, other: Quaternion, t: SupportsFloat) -> Quaternion:
        """Turn from this rotation (t = 0) to `other` (t = 1) the short way at constant speed.

        The result is a unit quaternion; t outside [0, 1] goes on turning. Shoemake 1985.

        Raises:
            ValueError: when either length is zero.
        """
        x, y, z, w = great_arc(self, other, number(t, "t"))
        return _make(x, y, z, w)

    def isclose(self, other: Quaternion, rel_tol: float = 1e-9, abs_tol: float = 1e-9) -> bool:
        """Whether each component is close to that of `other` or of its negative.

        Both stand for the same rotation. Lengths count: normalize first where they may differ.
        """
        sign = -1.0 if self.dot(other) < 0.0 else 1.0
        return all(
            math.isclose(a, sign * b, rel_tol=rel_tol, abs_tol=abs_tol) for a, b in zip(self, other)
        )


def as_quaternion(value: RotationLike) -> Quaternion:
    """Read a rotation from a Quaternion, an Euler, or four numbers x, y, z, w."""
    if isinstance(value, Euler):
        return value.to_quaternion()
    return Quaternion.from_array(value)


def _make(x: float, y: float, z: float, w: float) -> Quaternion:
    """Make a quaternion of four Python floats, which the constructor would check."""
    quaternion: Quaternion = _draft()
    quaternion.x = x
    quaternion.y = y
    quaternion.z = z
    quaternion.w = w
    quaternion.__class__ = Quaternion
    return quaternion


_set_roll, _set_pitch, _set_yaw = slot_setters(Euler)
_set_x, _set_y, _set_z, _set_w = slot_setters(Quaternion)
_draft = drafts_of(Quaternion)
