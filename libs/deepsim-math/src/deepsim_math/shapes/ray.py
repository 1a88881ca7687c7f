# SPDX-License-Identifier: Apache-2.0
"""Half-lines."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from deepsim_math._value import Field, Value, slot_setters
from deepsim_math.values.coordinates import Point, Vector3, xyz

if TYPE_CHECKING:
    from deepsim_math._typing import VectorLike


class Ray(Value):
    """Half-line: the points origin + d * direction with d >= 0.

    >>> down = Ray((0, 0, 2), (0, 0, -1))
    >>> Plane((0, 0, 1), 0).raycast(down)
    2.0
    >>> down.get_point(0.5)
    Point(0.0, 0.0, 1.5)

    Args:
        origin: start of the ray [m].
        direction: direction of any non-zero length; stored as a unit vector.

    Raises:
        ValueError: when `direction` has zero length.
    """

    __match_args__ = ("origin", "direction")
    __slots__ = __match_args__

    origin: Field[Point]
    direction: Field[Vector3]

    _fields = attrgetter("origin", "direction")

    def __init__(self, origin: VectorLike, direction: VectorLike) -> None:
        _set_origin(self, Point.from_array(origin))
        _set_direction(self, Vector3(*xyz(direction)).normalized())

    def get_point(self, distance: float) -> Point:
        """Returns the point at `distance` [m] from the origin."""
        return self.origin + self.direction * distance


_set_origin, _set_direction = slot_setters(Ray)
