# SPDX-License-Identifier: Apache-2.0
"""Rotations: unit quaternions and roll-pitch-yaw angles."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Iterable, Sequence, SupportsFloat, TypeVar, overload

import numpy as np

from deepsim_math import quaternions
from deepsim_math._value import (
    ABSENT,
    Field,
    Row,
    all_or_none,
    drafts_of,
    number,
    numbers,
    slot_setters,
)
from deepsim_math.formulas import rotations as formulas

from .coordinates import Coordinates, Vector3, make, xyz

if TYPE_CHECKING:
    from deepsim_math._typing import FloatArray, NDArray, Numbers, RotationLike, VectorLike

C = TypeVar("C", bound=Coordinates)

_UP = Vector3(0.0, 0.0, 1.0)


class Euler(Row):
    """Roll, pitch, yaw [rad] about fixed axes, x then y then z: R = Rz(yaw) Ry(pitch) Rx(roll).

    This is the convention of ROS (tf "sxyz"), Gazebo and scipy's "xyz". Angles are not wrapped;
    equality compares the numbers, so two triples of the same rotation may differ.

    >>> import math
    >>> Pose((1, 2, 0), Euler(0, 0, math.pi / 2)).orientation.to_euler().yaw
    1.5707963267948966
    """

    __match_args__ = ("roll", "pitch", "yaw")
    __slots__ = __match_args__

    roll: Field[float]
    pitch: Field[float]
    yaw: Field[float]

    _fields = attrgetter("roll", "pitch", "yaw")

    def __init__(
        self, roll: SupportsFloat = 0.0, pitch: SupportsFloat = 0.0, yaw: SupportsFloat = 0.0
    ) -> None:
        _set_roll(self, roll if type(roll) is float else number(roll, "roll"))
        _set_pitch(self, pitch if type(pitch) is float else number(pitch, "pitch"))
        _set_yaw(self, yaw if type(yaw) is float else number(yaw, "yaw"))

    @classmethod
    def degrees(
        cls, roll: SupportsFloat = 0.0, pitch: SupportsFloat = 0.0, yaw: SupportsFloat = 0.0
    ) -> Euler:
        """Builds the angles from degrees.

        >>> Euler.degrees(yaw=90) == Euler(0, 0, math.pi / 2)
        True
        """
        return cls(*map(math.radians, cls(roll, pitch, yaw)))

    def to_degrees(self) -> tuple[float, float, float]:
        """Returns roll, pitch, yaw in degrees."""
        return math.degrees(self.roll), math.degrees(self.pitch), math.degrees(self.yaw)

    def to_quaternion(self) -> Quaternion:
        """Returns the unit quaternion of the same rotation."""
        return Quaternion.from_euler(self)

    def isclose(self, other: Euler, rel_tol: float = 1e-9, abs_tol: float = 1e-9) -> bool:
        """Returns whether both are the same rotation; tolerances as in `Quaternion.isclose`."""
        return self.to_quaternion().isclose(other.to_quaternion(), rel_tol, abs_tol)


class Quaternion(Row):
    """Rotation as a quaternion in ROS order: x, y, z, w.

    The constructor does not normalize. `rotate`, `to_euler`, `to_matrix`, `slerp` and `inverse`
    treat a non-zero quaternion as the rotation of its unit quaternion, and raise ValueError for a
    zero one. A quaternion and its negative are the same rotation but not equal: use `isclose`.

    >>> Quaternion.from_euler(0, 0, math.pi).rotate(Vector3(1, 0, 0)).isclose((-1, 0, 0))
    True
    """

    __match_args__ = ("x", "y", "z", "w")
    __slots__ = __match_args__

    x: Field[float]
    y: Field[float]
    z: Field[float]
    w: Field[float]

    _fields = attrgetter("x", "y", "z", "w")

    @overload
    def __init__(self) -> None: ...
    @overload
    def __init__(
        self, x: SupportsFloat, y: SupportsFloat, z: SupportsFloat, w: SupportsFloat
    ) -> None: ...
    def __init__(self, x: Any = ABSENT, y: Any = ABSENT, z: Any = ABSENT, w: Any = ABSENT) -> None:
        if w is ABSENT:
            x, y, z, w = all_or_none("Quaternion", (x, y, z, w), (0.0, 0.0, 0.0, 1.0))
        _set_x(self, x if type(x) is float else number(x, "x"))
        _set_y(self, y if type(y) is float else number(y, "y"))
        _set_z(self, z if type(z) is float else number(z, "z"))
        _set_w(self, w if type(w) is float else number(w, "w"))

    @classmethod
    def identity(cls) -> Quaternion:
        """Returns the identity rotation."""
        return cls(0.0, 0.0, 0.0, 1.0)

    @classmethod
    def from_wxyz(cls, values: Numbers) -> Quaternion:
        """Builds a quaternion from w, x, y, z, the order of MuJoCo, transforms3d and PyGLM."""
        w, x, y, z = numbers(values, 4, "a quaternion")
        return cls(x, y, z, w)

    def to_wxyz(self) -> FloatArray:
        """Returns w, x, y, z as a float64 array of shape (4,)."""
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
        """Converts fixed-axis roll, pitch, yaw [rad], given as three numbers or one Euler."""
        if isinstance(roll, Euler):
            roll, pitch, yaw = roll
        return make_quaternion(
            *formulas.from_euler(
                roll if type(roll) is float else number(roll, "roll"),
                pitch if type(pitch) is float else number(pitch, "pitch"),
                yaw if type(yaw) is float else number(yaw, "yaw"),
            )
        )

    def to_euler(self) -> Euler:
        """Converts to roll and yaw in (-pi, pi] and pitch in [-pi/2, pi/2].

        At gimbal lock (pitch at +-pi/2) only roll - yaw or roll + yaw is defined; yaw is 0 there,
        as in ROS tf.
        """
        return Euler(*formulas.to_euler(self.x, self.y, self.z, self.w))

    @property
    def yaw(self) -> float:
        """Heading [rad] in (-pi, pi]: the yaw of `to_euler`."""
        return self.to_euler().yaw

    @classmethod
    def from_angles(cls, order: str, angles: Iterable[SupportsFloat]) -> Quaternion:
        """Converts three angles [rad] about axes in any order.

        >>> Quaternion.from_angles("zyx", (0.1, 0, 0)) == Quaternion.from_euler(0, 0, 0.1)
        True

        Args:
            order: three of x, y, z, with different neighbours; lower case for fixed axes, upper
                case for axes that rotate along, as in scipy.
            angles: angles in the order of the letters.

        Raises:
            ValueError: when `order` is not an order of axes.
        """
        row = [number(angle, "angle") for angle in numbers(angles, 3, "angles")]
        return make_quaternion(*formulas.from_angles(formulas.axis_order(order), *row))

    def to_angles(self, order: str) -> tuple[float, float, float]:
        """Returns three angles [rad] about axes in `order`, the inverse of `from_angles`.

        The first and last lie in (-pi, pi], the middle one in [-pi/2, pi/2], or in [0, pi] if the
        first and last axes are the same. If only their sum or difference is defined, the last angle
        about fixed axes, or the first about rotating ones, is 0.

        Raises:
            ValueError: when `order` is not an order of axes, or the length is zero.
        """
        first, middle, last = formulas.to_angles(
            formulas.axis_order(order), self.x, self.y, self.z, self.w
        )
        return first, middle, last

    @classmethod
    def from_axis_angle(cls, axis: VectorLike, angle: SupportsFloat) -> Quaternion:
        """Returns the rotation by `angle` [rad] about `axis` (any length), by the right-hand rule.

        Raises:
            ValueError: when `axis` has zero length.
        """
        x, y, z = Vector3(*xyz(axis)).normalized()._row()
        return make_quaternion(*formulas.from_unit_axis(x, y, z, number(angle, "angle")))

    def to_axis_angle(self) -> tuple[Vector3, float]:
        """Returns the unit axis and the angle [rad] in [0, pi]; the x axis for the identity."""
        vector = self.to_rotation_vector()
        angle = vector.length
        return (vector.normalized() if angle else Vector3(1.0, 0.0, 0.0)), angle

    @classmethod
    def from_rotation_vector(cls, vector: VectorLike) -> Quaternion:
        """Converts a rotation vector, axis times angle [rad] (the exponential map).

        The zero vector gives the identity.
        """
        return make_quaternion(*formulas.from_rotation_vector(*xyz(vector)))

    def to_rotation_vector(self) -> Vector3:
        """Returns axis times angle [rad], with a length in [0, pi]: the logarithm."""
        return make(Vector3, *formulas.to_rotation_vector(self.x, self.y, self.z, self.w))

    @classmethod
    def random(cls, rng: np.random.Generator) -> Quaternion:
        """Returns a uniformly distributed rotation as a unit quaternion."""
        return cls(*rng.normal(size=4).tolist()).normalized()

    @classmethod
    def from_matrix(cls, matrix: Any) -> Quaternion:
        """Converts a (3, 3) rotation matrix.

        Raises:
            ValueError: when `matrix` has another shape or is not a rotation (within 1e-3).
        """
        array = np.asarray(matrix, dtype=np.float64)
        if array.shape != (3, 3):
            raise ValueError(f"a rotation matrix must have shape (3, 3), got {array.shape}")
        if np.abs(array @ array.T - np.eye(3)).max() > 1e-3 or np.linalg.det(array) < 0.0:
            raise ValueError(f"not a rotation matrix (orthonormal, determinant 1): {matrix!r}")
        return make_quaternion(*formulas.from_matrix(*array.ravel().tolist()))

    def to_matrix(self) -> FloatArray:
        """Returns the (3, 3) rotation matrix; its columns are the rotated x, y and z axes."""
        return np.array(formulas.to_matrix(self.x, self.y, self.z, self.w)).reshape(3, 3)

    @classmethod
    def look_rotation(cls, forward: VectorLike, up: VectorLike = _UP) -> Quaternion:
        """Returns the rotation that turns x to `forward`, and z as close to `up` as possible.

        If `forward` is along `up`, the left side stays as close to (0, 1, 0) as possible, so that
        looking straight up or down is a pure pitch.

        Raises:
            ValueError: when `forward` or `up` has zero length.
        """
        ahead, top = Vector3(*xyz(forward)).normalized(), Vector3(*xyz(up)).normalized()
        return make_quaternion(*formulas.look(*ahead._row(), *top._row()))

    @property
    def length(self) -> float:
        """Euclidean length, 1 for a unit quaternion."""
        return math.hypot(self.x, self.y, self.z, self.w)

    def normalized(self) -> Quaternion:
        """Returns the unit quaternion of the same rotation."""
        x, y, z, w = self.x, self.y, self.z, self.w
        if not 1e-300 < x * x + y * y + z * z + w * w < math.inf:
            size = max(abs(x), abs(y), abs(z), abs(w))
            if 0.0 < size < math.inf:  # squares would overflow or underflow
                x, y, z, w = x / size, y / size, z / size, w / size
        return make_quaternion(*formulas.normalize(x, y, z, w))

    def conjugate(self) -> Quaternion:
        """Returns the quaternion with negated x, y, z: the inverse of a unit quaternion."""
        return make_quaternion(-self.x, -self.y, -self.z, self.w)

    def inverse(self) -> Quaternion:
        """Returns the quaternion whose product with this one is the identity."""
        return make_quaternion(*formulas.inverse(self.x, self.y, self.z, self.w))

    def angle_to(self, other: Quaternion) -> float:
        """Returns the angle [rad] of the rotation from this one to `other`, in [0, pi]."""
        a, b = self, other
        angle: float = formulas.angle(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w)
        return angle

    def dot(self, other: Quaternion) -> float:
        """Returns the scalar product with `other`, over all four components."""
        return self.x * other.x + self.y * other.y + self.z * other.z + self.w * other.w

    def __mul__(self, other: Quaternion) -> Quaternion:
        """Returns the Hamilton product: the rotation by `other`, followed by this one."""
        if type(other) is not Quaternion and not isinstance(other, Quaternion):
            if isinstance(other, Coordinates):  # type: ignore[unreachable]
                raise TypeError(
                    "unsupported operand for *: rotate a vector by q @ v or q.rotate(v)"
                )
            return NotImplemented
        a, b = self, other
        return make_quaternion(*formulas.multiply(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w))

    def __pow__(self, t: SupportsFloat) -> Quaternion:
        """Returns `t` times the rotation as a unit quaternion; q ** 0.5 has half the angle."""
        return Quaternion.identity().slerp(self, t)

    @overload
    def __matmul__(self, other: Quaternion) -> Quaternion: ...
    @overload
    def __matmul__(self, other: C) -> C: ...
    @overload
    def __matmul__(self, other: Sequence[float]) -> Vector3: ...
    @overload
    def __matmul__(self, other: NDArray[Any]) -> FloatArray: ...
    def __matmul__(self, other: Any) -> Any:
        """Applies this rotation to another one (their product), or rotates a vector or a point.

        Arrays have one per row: quaternions (..., 4) or vectors (..., 3).

        Raises:
            ValueError: for an array of another shape.
        """
        if isinstance(other, Quaternion):
            return self * other
        if isinstance(other, (Coordinates, tuple, list)):
            return self.rotate(other)
        if not isinstance(other, np.ndarray):
            return NotImplemented
        batch = quaternions.multiply if other.shape[-1:] == (4,) else quaternions.rotate
        return batch(self, other)

    def __rmatmul__(self, other: NDArray[Any]) -> FloatArray:
        """Returns the products of quaternions (..., 4) with this one."""
        array = isinstance(other, np.ndarray)
        return quaternions.multiply(other, self) if array else NotImplemented

    def __neg__(self) -> Quaternion:
        return make_quaternion(-self.x, -self.y, -self.z, -self.w)

    @overload
    def rotate(self, vector: C) -> C: ...
    @overload
    def rotate(self, vector: Numbers) -> Vector3: ...
    def rotate(self, vector: Any) -> Any:
        """Rotates a Vector3 or a Point (about the origin); a sequence becomes a Vector3."""
        if type(vector) is not Vector3 and not isinstance(vector, Coordinates):
            vector = Vector3(*xyz(vector))
        turned = formulas.rotate(self.x, self.y, self.z, self.w, vector.x, vector.y, vector.z)
        return make(type(vector), *turned)

    def slerp(self, other: Quaternion, t: SupportsFloat) -> Quaternion:
        """Interpolates from this rotation (t = 0) to `other` (t = 1) along the shorter arc.

        The speed of rotation is constant, and the result is a unit quaternion; t outside [0, 1]
        extrapolates (Shoemake 1985).
        """
        a, b = self, other
        row = formulas.slerp(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, number(t, "t"))
        return make_quaternion(*row)

    def isclose(self, other: Quaternion, rel_tol: float = 1e-9, abs_tol: float = 1e-9) -> bool:
        """Returns whether the components are close to those of `other` or of ``-other``.

        Both are the same rotation. Lengths matter: normalize first if they may differ.
        """
        sign = -1.0 if self.dot(other) < 0.0 else 1.0
        return all(
            math.isclose(a, sign * b, rel_tol=rel_tol, abs_tol=abs_tol) for a, b in zip(self, other)
        )


def as_quaternion(value: RotationLike) -> Quaternion:
    """Returns the quaternion of a Quaternion, an Euler, or four numbers x, y, z, w."""
    if isinstance(value, Euler):
        return value.to_quaternion()
    return Quaternion.from_array(value)


def make_quaternion(x: float, y: float, z: float, w: float) -> Quaternion:
    """Builds a quaternion from four Python floats, without the checks of the constructor."""
    quaternion: Any = _draft()
    quaternion.x = x
    quaternion.y = y
    quaternion.z = z
    quaternion.w = w
    quaternion.__class__ = Quaternion
    made: Quaternion = quaternion
    return made


_set_roll, _set_pitch, _set_yaw = slot_setters(Euler)
_set_x, _set_y, _set_z, _set_w = slot_setters(Quaternion)
_draft = drafts_of(Quaternion)
