# SPDX-License-Identifier: Apache-2.0
"""Linear and angular velocity."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from deepsim_math._value import Field, Row, numbers, slot_setters
from deepsim_math.formulas import motions as formulas

from .coordinates import SCALARS, Vector3, make, xyz
from .rotation import as_quaternion

if TYPE_CHECKING:
    from deepsim_math._typing import RotationLike, VectorLike

    from .coordinates import Scalar

_ZERO = Vector3()


class Twist(Row):
    """Linear velocity [m/s] and angular velocity [rad/s] in one frame.

    Twists of one frame can be added and scaled. As a sequence or an array it is vx, vy, vz, wx, wy,
    wz. Each argument is a Vector3 or three numbers.

    >>> Twist((1, 0, 0), (0, 0, 2)).velocity_at((0, 1, 0))  # of a point 1 m to the left
    Vector3(-1.0, 0.0, 0.0)
    """

    __match_args__ = ("linear", "angular")
    __slots__ = __match_args__

    linear: Field[Vector3]
    angular: Field[Vector3]

    _fields = attrgetter("linear", "angular")

    def __init__(self, linear: VectorLike = _ZERO, angular: VectorLike = _ZERO) -> None:
        _set_linear(self, linear if type(linear) is Vector3 else Vector3.from_array(linear))
        _set_angular(self, angular if type(angular) is Vector3 else Vector3.from_array(angular))

    @classmethod
    def from_array(cls: type[Twist], values: Any) -> Twist:
        """Builds a Twist from vx, vy, vz, wx, wy, wz; a Twist is returned unchanged."""
        if type(values) is cls:
            return values
        row = numbers(values, 6, "Twist")
        return cls(Vector3(*row[:3]), Vector3(*row[3:]))

    def _row(self) -> tuple[float, ...]:
        linear, angular = self.linear, self.angular
        return linear.x, linear.y, linear.z, angular.x, angular.y, angular.z

    @classmethod
    def _of(cls, row: tuple[float, ...]) -> Twist:
        return cls(make(Vector3, *row[:3]), make(Vector3, *row[3:]))

    def __add__(self, other: Twist) -> Twist:
        if not isinstance(other, Twist):
            return NotImplemented
        return Twist(self.linear + other.linear, self.angular + other.angular)

    def __sub__(self, other: Twist) -> Twist:
        if not isinstance(other, Twist):
            return NotImplemented
        return Twist(self.linear - other.linear, self.angular - other.angular)

    def __neg__(self) -> Twist:
        return Twist(-self.linear, -self.angular)

    def __mul__(self, factor: Scalar) -> Twist:
        if not isinstance(factor, SCALARS):
            return NotImplemented
        return Twist(self.linear * factor, self.angular * factor)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Scalar) -> Twist:
        if not isinstance(divisor, SCALARS):
            return NotImplemented
        return Twist(self.linear / divisor, self.angular / divisor)

    def rotate(self, rotation: RotationLike) -> Twist:
        """Rotates both velocities: the same motion of the same point in other axes."""
        return Twist._of(formulas.rotate_twist(*as_quaternion(rotation)._row(), *self._row()))

    def velocity_at(self, point: VectorLike) -> Vector3:
        """Returns the velocity [m/s] of the rigid body's point at `point`: v + w x r."""
        return make(Vector3, *formulas.velocity_at(*self._row(), *xyz(point)))

    def isclose(self, other: Twist, rel_tol: float = 1e-9, abs_tol: float = 1e-9) -> bool:
        """Returns whether both velocities are close, coordinate by coordinate."""
        return self.linear.isclose(other.linear, rel_tol, abs_tol) and self.angular.isclose(
            other.angular, rel_tol, abs_tol
        )


_set_linear, _set_angular = slot_setters(Twist)
