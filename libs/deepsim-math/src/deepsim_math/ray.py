# SPDX-License-Identifier: Apache-2.0
"""Half-lines."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from ._coordinates import xyz
from ._value import Value, slot_setters
from .point import Point
from .vector3 import Vector3

if TYPE_CHECKING:
    from ._typing import VectorLike


class Ray(Value):
    """Half-line: the points origin + d * direction with d >= 0.

    Args:
        origin: where it starts [m].
        direction: where it goes, of any non-zero length; kept as a unit vector.

    Raises:
        ValueError: when `direction` has zero length.
    """

    _names = ("origin", "direction")
    __slots__ = _names

    origin: Point
    direction: Vector3

    _fields = attrgetter("origin", "direction")

    def __init__(self, origin: VectorLike, direction: VectorLike) -> None:
        _set_origin(self, Point.from_array(origin))
        _set_direction(self, Vector3(*xyz(direction)).normalized())

    def get_point(self, distance: float) -> Point:
        """Point at `distance` [m] from the origin."""
        return self.origin + self.direction * distance


_set_origin, _set_direction = slot_setters(Ray)
