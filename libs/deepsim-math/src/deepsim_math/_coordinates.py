# SPDX-License-Identifier: Apache-2.0
"""Three coordinates: what Vector3 and Point have in common."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import TYPE_CHECKING, Any, SupportsFloat, TypeVar, overload

import numpy as np

from ._numbers import number, numbers
from ._value import Row, drafts_of, slot_setters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._typing import FloatArray, VectorLike
    from .rotation import Quaternion

C = TypeVar("C", bound="Coordinates")


class Coordinates(Row):
    """Three coordinates in one frame.

    Components are Python floats and may be infinite or NaN; arithmetic treats them as float
    arithmetic does. An operator that meets a NumPy array answers an array.
    """

    _names = ("x", "y", "z")
    __slots__ = _names

    x: float
    y: float
    z: float

    _fields = attrgetter("x", "y", "z")

    def __init__(
        self, x: SupportsFloat = 0.0, y: SupportsFloat = 0.0, z: SupportsFloat = 0.0
    ) -> None:
        _set_x(self, x if type(x) is float else number(x, "x"))
        _set_y(self, y if type(y) is float else number(y, "y"))
        _set_z(self, z if type(z) is float else number(z, "z"))

    @property
    def length(self) -> float:
        """Euclidean length; free of overflow and underflow."""
        return math.hypot(self.x, self.y, self.z)

    @property
    def magnitude(self) -> float:
        """The length, by the name of the DeepSim paper."""
        return math.hypot(self.x, self.y, self.z)

    @property
    def sqr_magnitude(self) -> float:
        """Length squared; cheaper than the length when only comparing."""
        return self.x * self.x + self.y * self.y + self.z * self.z

    def dot(self, other: VectorLike) -> float:
        """Scalar product."""
        x, y, z = xyz(other)
        return self.x * x + self.y * y + self.z * z

    def distance(self, other: VectorLike) -> float:
        """Euclidean distance to `other`."""
        x, y, z = xyz(other)
        return math.hypot(self.x - x, self.y - y, self.z - z)

    def rotate(self: C, rotation: Quaternion) -> C:
        """Turn about the origin.

        Raises:
            ValueError: when the quaternion has zero length.
        """
        return rotation.rotate(self)

    def isclose(self, other: VectorLike, rel_tol: float = 1e-9, abs_tol: float = 1e-9) -> bool:
        """Whether each coordinate is close in the sense of `math.isclose`."""
        return all(
            math.isclose(a, b, rel_tol=rel_tol, abs_tol=abs_tol) for a, b in zip(self, xyz(other))
        )

    def __neg__(self: C) -> C:
        return make(type(self), -self.x, -self.y, -self.z)

    def __mul__(self: C, other: Any) -> C:
        """Scale by a number, or coordinate by coordinate by another of the same class."""
        if type(other) is float:
            return make(type(self), self.x * other, self.y * other, self.z * other)
        if type(other) is type(self):
            return make(type(self), self.x * other.x, self.y * other.y, self.z * other.z)
        if isinstance(other, (float, int, np.number)):
            return self * float(other)
        return NotImplemented

    @overload
    def __rmul__(self, other: NDArray[Any]) -> FloatArray: ...
    @overload
    def __rmul__(self: C, other: float | np.number[Any]) -> C: ...
    def __rmul__(self, other: Any) -> Any:
        return other * np.asarray(self) if isinstance(other, np.ndarray) else self.__mul__(other)

    def __truediv__(self: C, other: Any) -> C:
        """Divide by a number, or coordinate by coordinate by another of the same class.

        Raises:
            ZeroDivisionError: as float division does.
        """
        if type(other) is float:
            return make(type(self), self.x / other, self.y / other, self.z / other)
        if type(other) is type(self):
            return make(type(self), self.x / other.x, self.y / other.y, self.z / other.z)
        if isinstance(other, (float, int, np.number)):
            return self / float(other)
        return NotImplemented

    def __radd__(self, other: Any) -> FloatArray:
        if isinstance(other, np.ndarray):
            return other + np.asarray(self)  # type: ignore[no-any-return]  # array in, array out
        return NotImplemented

    def __rsub__(self, other: Any) -> FloatArray:
        if isinstance(other, np.ndarray):
            return other - np.asarray(self)  # type: ignore[no-any-return]  # array in, array out
        return NotImplemented

    def __rtruediv__(self, other: Any) -> FloatArray:
        if isinstance(other, np.ndarray):
            return other / np.asarray(self)  # type: ignore[no-any-return]  # array in, array out
        return NotImplemented


_set_x, _set_y, _set_z = slot_setters(Coordinates)
draft_coordinates = drafts_of(Coordinates)


def make(kind: type[C], x: float, y: float, z: float) -> C:
    """Make a value of three Python floats, which the constructor would check."""
    value: C = draft_coordinates()
    value.x = x
    value.y = y
    value.z = z
    value.__class__ = kind
    return value


def xyz(value: VectorLike) -> tuple[float, float, float]:
    """Read three coordinates from a Vector3, a Point, a sequence or an array."""
    if isinstance(value, Coordinates):
        return value.x, value.y, value.z
    x, y, z = numbers(value, 3, "a vector")
    return number(x, "x"), number(y, "y"), number(z, "z")
