# SPDX-License-Identifier: Apache-2.0
"""Vectors and points: three coordinates each."""

from __future__ import annotations

import math
import operator
import sys
from typing import TYPE_CHECKING, Any, Callable, SupportsFloat, TypeVar, Union, overload

import numpy as np

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
from deepsim_math.formulas import elementwise as formulas

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from deepsim_math._typing import FloatArray, VectorLike

    from .rotation import Quaternion

    Scalar = Union[float, np.number[Any]]

C = TypeVar("C", bound="Coordinates")

SCALARS = (float, int, np.number)

# Rounding leaves a normalized vector this near to length 1: normalizing again changes nothing.
_UNIT = 4 * sys.float_info.epsilon


class Coordinates(Row):
    """Three coordinates in one frame.

    Components are Python floats, including infinity and NaN, with float arithmetic. Operators with
    a NumPy array return an array.
    """

    __match_args__ = ("x", "y", "z")
    __slots__ = __match_args__

    x: Field[float]
    y: Field[float]
    z: Field[float]

    _fields = operator.attrgetter("x", "y", "z")

    @overload
    def __init__(self) -> None: ...
    @overload
    def __init__(self, x: SupportsFloat, y: SupportsFloat, z: SupportsFloat) -> None: ...
    def __init__(self, x: Any = ABSENT, y: Any = ABSENT, z: Any = ABSENT) -> None:
        if z is ABSENT:
            x, y, z = all_or_none(type(self).__name__, (x, y, z), (0.0, 0.0, 0.0))
        _set_x(self, x if type(x) is float else number(x, "x"))
        _set_y(self, y if type(y) is float else number(y, "y"))
        _set_z(self, z if type(z) is float else number(z, "z"))

    @property
    def length(self) -> float:
        """Euclidean length, without overflow or underflow."""
        return math.hypot(self.x, self.y, self.z)

    @property
    def magnitude(self) -> float:
        """Same as `length`, under the name that the DeepSim paper uses."""
        return math.hypot(self.x, self.y, self.z)

    @property
    def sqr_magnitude(self) -> float:
        """Squared length, which is faster for comparisons."""
        return self.x * self.x + self.y * self.y + self.z * self.z

    def dot(self, other: VectorLike) -> float:
        """Returns the scalar product."""
        x, y, z = xyz(other)
        return self.x * x + self.y * y + self.z * z

    def distance(self, other: VectorLike) -> float:
        """Returns the Euclidean distance to `other`."""
        x, y, z = xyz(other)
        return math.hypot(self.x - x, self.y - y, self.z - z)

    def rotate(self: C, rotation: Quaternion) -> C:
        """Returns a copy of this value rotated about the origin."""
        return rotation.rotate(self)

    def isclose(self, other: VectorLike, rel_tol: float = 1e-9, abs_tol: float = 1e-9) -> bool:
        """Returns whether each coordinate is close in the sense of `math.isclose`."""
        return all(
            math.isclose(a, b, rel_tol=rel_tol, abs_tol=abs_tol) for a, b in zip(self, xyz(other))
        )

    def __abs__(self) -> float:
        return self.length

    def __neg__(self: C) -> C:
        return make(type(self), -self.x, -self.y, -self.z)

    @overload
    def __mul__(self: C, other: Scalar | C) -> C: ...
    @overload
    def __mul__(self, other: NDArray[Any]) -> FloatArray: ...
    def __mul__(self, other: Any) -> Any:
        """Multiplies by a number, or element-wise by a value of the same class."""
        if type(other) is float:
            return make(type(self), self.x * other, self.y * other, self.z * other)
        if type(other) is type(self):
            return make(type(self), self.x * other.x, self.y * other.y, self.z * other.z)
        if isinstance(other, SCALARS):
            return self * float(other)
        return NotImplemented

    @overload
    def __rmul__(self, other: NDArray[Any]) -> FloatArray: ...
    @overload
    def __rmul__(self: C, other: Scalar) -> C: ...
    def __rmul__(self, other: Any) -> Any:
        return other * np.asarray(self) if isinstance(other, np.ndarray) else self.__mul__(other)

    @overload
    def __truediv__(self: C, other: Scalar | C) -> C: ...
    @overload
    def __truediv__(self, other: NDArray[Any]) -> FloatArray: ...
    def __truediv__(self, other: Any) -> Any:
        """Divides by a number, or element-wise by a value of the same class.

        Raises:
            ZeroDivisionError: as in float division.
        """
        if type(other) is float:
            return make(type(self), self.x / other, self.y / other, self.z / other)
        if type(other) is type(self):
            return make(type(self), self.x / other.x, self.y / other.y, self.z / other.z)
        if isinstance(other, SCALARS):
            return self / float(other)
        return NotImplemented

    def __radd__(self, other: NDArray[Any]) -> FloatArray:
        return _with_array(operator.add, other, self)

    def __rsub__(self, other: NDArray[Any]) -> FloatArray:
        return _with_array(operator.sub, other, self)

    def __rtruediv__(self, other: NDArray[Any]) -> FloatArray:
        return _with_array(operator.truediv, other, self)

    def __matmul__(self, other: NDArray[Any]) -> FloatArray:
        return _with_array(operator.matmul, self, other)

    def __rmatmul__(self, other: NDArray[Any]) -> FloatArray:
        return _with_array(operator.matmul, other, self)


def _with_array(operate: Callable[[Any, Any], Any], left: Any, right: Any) -> FloatArray:
    arrays = isinstance(left, np.ndarray) or isinstance(right, np.ndarray)
    result: FloatArray = operate(np.asarray(left), np.asarray(right)) if arrays else NotImplemented
    return result


class Vector3(Coordinates):
    """Displacement, direction or velocity, which has a length but no position.

    Axes are x forward, y left, z up, right-handed.

    >>> Vector3(1, 2, 3) + 2 * Vector3.up()
    Vector3(1.0, 2.0, 5.0)
    """

    __slots__ = ()

    @classmethod
    def zero(cls) -> Vector3:
        """Returns (0, 0, 0)."""
        return cls(0.0, 0.0, 0.0)

    @classmethod
    def one(cls) -> Vector3:
        """Returns (1, 1, 1)."""
        return cls(1.0, 1.0, 1.0)

    @classmethod
    def forward(cls) -> Vector3:
        """Returns (1, 0, 0)."""
        return cls(1.0, 0.0, 0.0)

    @classmethod
    def back(cls) -> Vector3:
        """Returns (-1, 0, 0)."""
        return cls(-1.0, 0.0, 0.0)

    @classmethod
    def left(cls) -> Vector3:
        """Returns (0, 1, 0)."""
        return cls(0.0, 1.0, 0.0)

    @classmethod
    def right(cls) -> Vector3:
        """Returns (0, -1, 0)."""
        return cls(0.0, -1.0, 0.0)

    @classmethod
    def up(cls) -> Vector3:
        """Returns (0, 0, 1)."""
        return cls(0.0, 0.0, 1.0)

    @classmethod
    def down(cls) -> Vector3:
        """Returns (0, 0, -1)."""
        return cls(0.0, 0.0, -1.0)

    def cross(self, other: VectorLike) -> Vector3:
        """Returns the vector product, by the right-hand rule: forward x left = up."""
        return make(Vector3, *formulas.cross(self.x, self.y, self.z, *xyz(other)))

    def normalized(self) -> Vector3:
        """Returns the unit vector in the same direction; a unit vector is returned unchanged.

        Raises:
            ValueError: when the length is zero.
        """
        length = math.hypot(self.x, self.y, self.z)
        if length == 0.0:
            raise ValueError(f"cannot normalize {self!r}: its length is zero")
        if abs(length - 1.0) <= _UNIT:
            return self
        return make(Vector3, self.x / length, self.y / length, self.z / length)

    def angle_to(self, other: VectorLike) -> float:
        """Returns the angle [rad] between the directions, in [0, pi].

        Raises:
            ValueError: when either has zero length.
        """
        angle: float = formulas.angle(
            *self.normalized()._row(), *Vector3(*xyz(other)).normalized()._row()
        )
        return angle

    def project(self, onto: VectorLike) -> Vector3:
        """Returns the part of this vector along the direction `onto`, of any length.

        Raises:
            ValueError: when `onto` has zero length.
        """
        direction = Vector3(*xyz(onto)).normalized()
        return direction * self.dot(direction)

    @overload
    def __add__(self, other: Vector3) -> Vector3: ...
    @overload
    def __add__(self, other: Point) -> Point: ...
    @overload
    def __add__(self, other: NDArray[Any]) -> FloatArray: ...
    def __add__(self, other: Any) -> Any:
        if isinstance(other, Coordinates):
            kind = Point if isinstance(other, Point) else Vector3
            return make(kind, self.x + other.x, self.y + other.y, self.z + other.z)
        return NotImplemented

    @overload
    def __sub__(self, other: Vector3) -> Vector3: ...
    @overload
    def __sub__(self, other: NDArray[Any]) -> FloatArray: ...
    def __sub__(self, other: Any) -> Any:
        if isinstance(other, Vector3):
            return make(Vector3, self.x - other.x, self.y - other.y, self.z - other.z)
        return NotImplemented


class Point(Coordinates):
    """Position in a frame [m].

    The difference of two points is a Vector3, the sum of a point and a vector a point. Two points
    cannot be added.

    >>> Point(3, 2, 1) - Point(1, 1, 1)
    Vector3(2.0, 1.0, 0.0)
    """

    __slots__ = ()

    @overload
    def __add__(self, other: Vector3) -> Point: ...
    @overload
    def __add__(self, other: NDArray[Any]) -> FloatArray: ...
    def __add__(self, other: Any) -> Any:
        if isinstance(other, Vector3):
            return make(Point, self.x + other.x, self.y + other.y, self.z + other.z)
        return NotImplemented

    @overload
    def __sub__(self, other: Point) -> Vector3: ...
    @overload
    def __sub__(self, other: Vector3) -> Point: ...
    @overload
    def __sub__(self, other: NDArray[Any]) -> FloatArray: ...
    def __sub__(self, other: Any) -> Any:
        if isinstance(other, Coordinates):
            kind = Vector3 if isinstance(other, Point) else Point
            return make(kind, self.x - other.x, self.y - other.y, self.z - other.z)
        return NotImplemented


Position = Point
"""Name of `Point` in Appendix A of the DeepSim paper."""


_set_x, _set_y, _set_z = slot_setters(Coordinates)
_draft = drafts_of(Coordinates)


def make(kind: type[C], x: float, y: float, z: float) -> C:
    """Builds a value from three Python floats, without the checks of the constructor."""
    value: Any = _draft()
    value.x = x
    value.y = y
    value.z = z
    value.__class__ = kind
    made: C = value
    return made


def xyz(value: VectorLike) -> tuple[float, float, float]:
    """Returns the three coordinates of a Vector3, a Point, a sequence or an array."""
    if isinstance(value, Coordinates):
        return value.x, value.y, value.z
    x, y, z = numbers(value, 3, "a vector")
    return number(x, "x"), number(y, "y"), number(z, "z")
