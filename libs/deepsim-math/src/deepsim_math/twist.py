# SPDX-License-Identifier: Apache-2.0
"""Linear and angular velocity."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from ._numbers import numbers
from ._value import Row, slot_setters
from .vector3 import Vector3

if TYPE_CHECKING:
    from ._typing import VectorLike

_ZERO = Vector3()


class Twist(Row):
    """Linear velocity [m/s] and angular velocity [rad/s] in one frame.

    As a sequence or an array it is vx, vy, vz, wx, wy, wz. Each argument is a Vector3 or three
    numbers.
    """

    _names = ("linear", "angular")
    __slots__ = _names

    linear: Vector3
    angular: Vector3

    _fields = attrgetter("linear", "angular")

    def __init__(self, linear: VectorLike = _ZERO, angular: VectorLike = _ZERO) -> None:
        _set_linear(self, linear if type(linear) is Vector3 else Vector3.from_array(linear))
        _set_angular(self, angular if type(angular) is Vector3 else Vector3.from_array(angular))

    @classmethod
    def from_array(cls: type[Twist], values: Any) -> Twist:
        """Make one from vx, vy, vz, wx, wy, wz; a Twist is returned as it is.

        Raises:
            TypeError: when `values` is not a sequence of numbers.
            ValueError: when there are not six.
        """
        if type(values) is cls:
            return values
        row = numbers(values, 6, "Twist")
        return cls(Vector3(*row[:3]), Vector3(*row[3:]))

    def _row(self) -> tuple[float, ...]:
        linear, angular = self.linear, self.angular
        return linear.x, linear.y, linear.z, angular.x, angular.y, angular.z

    def isclose(self, other: Twist, rel_tol: float = 1e-9, abs_tol: float = 1e-9) -> bool:
        """Whether both velocities are close, coordinate by coordinate."""
        return self.linear.isclose(other.linear, rel_tol, abs_tol) and self.angular.isclose(
            other.angular, rel_tol, abs_tol
        )


_set_linear, _set_angular = slot_setters(Twist)
