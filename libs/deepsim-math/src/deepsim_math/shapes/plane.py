# SPDX-License-Identifier: Apache-2.0
"""Planes."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import TYPE_CHECKING, SupportsFloat

from deepsim_math._numbers import number
from deepsim_math._value import Field, Value, slot_setters
from deepsim_math.values.coordinates import Point, Vector3, xyz

from .ray import Ray

if TYPE_CHECKING:
    from deepsim_math._typing import VectorLike


class Plane(Value):
    """The points p with normal . p = distance; the normal points to the positive side.

    >>> ground = Plane((0, 0, 1), 0)
    >>> ground.distance_to((3, 4, 1.5))
    1.5

    Args:
        normal: direction of any non-zero length; stored as a unit vector.
        distance: distance of the plane from the origin along `normal`, as a multiple of the length
            of `normal`; stored in metres.

    Raises:
        ValueError: when `normal` has zero length.
    """

    __match_args__ = ("normal", "distance")
    __slots__ = __match_args__

    normal: Field[Vector3]
    distance: Field[float]

    _fields = attrgetter("normal", "distance")

    def __init__(self, normal: VectorLike, distance: SupportsFloat = 0.0) -> None:
        direction = Vector3(*xyz(normal))
        unit = direction.normalized()
        length = 1.0 if unit is direction else direction.length
        _set_normal(self, unit)
        _set_distance(self, number(distance, "distance") / length)

    @classmethod
    def from_point(cls, normal: VectorLike, point: VectorLike) -> Plane:
        """Returns the plane through `point`.

        Raises:
            ValueError: when `normal` has zero length.
        """
        direction = Vector3(*xyz(normal)).normalized()
        return cls(direction, direction.dot(point))

    @classmethod
    def from_points(cls, a: VectorLike, b: VectorLike, c: VectorLike) -> Plane:
        """Returns the plane through three points, counter-clockwise seen from its front.

        Raises:
            ValueError: when the points lie on one line.
        """
        origin = Point(*xyz(a))
        side, other = Point(*xyz(b)) - origin, Point(*xyz(c)) - origin
        normal = side.cross(other)
        if normal.length <= 1e-12 * side.length * other.length:
            raise ValueError(f"three points on one line define no plane: {a!r}, {b!r}, {c!r}")
        return cls.from_point(normal, origin)

    def distance_to(self, point: VectorLike) -> float:
        """Returns the signed distance [m]: positive on the side of the normal."""
        return self.normal.dot(point) - self.distance

    def closest_point(self, point: VectorLike) -> Point:
        """Returns the point of the plane nearest to `point`."""
        return Point(*xyz(point)) - self.normal * self.distance_to(point)

    def which_side(self, point: VectorLike) -> int:
        """Returns 1 on the side of the normal, -1 on the other side, 0 exactly on the plane."""
        height = self.distance_to(point)
        return (height > 0.0) - (height < 0.0)

    def same_side(self, a: VectorLike, b: VectorLike) -> bool:
        """Returns whether two points lie on the same side, or both on the plane."""
        return self.which_side(a) == self.which_side(b)

    def flip(self) -> Plane:
        """Returns the same plane facing the other way."""
        return Plane(-self.normal, -self.distance)

    def raycast(self, ray: Ray) -> float | None:
        """Returns the distance [m] along the ray to the plane, from either side.

        It is None if the ray points away from the plane or is parallel to it, and 0 if the ray
        starts on the plane.
        """
        height = self.distance_to(ray.origin)
        if height == 0.0:
            return 0.0
        slope = self.normal.dot(ray.direction)
        if slope == 0.0 or (height > 0.0) == (slope > 0.0):
            return None
        return -height / slope

    def isclose(self, other: Plane, rel_tol: float = 1e-9, abs_tol: float = 1e-9) -> bool:
        """Returns whether normals and distances are close; a flipped plane is another plane."""
        return self.normal.isclose(other.normal, rel_tol, abs_tol) and math.isclose(
            self.distance, other.distance, rel_tol=rel_tol, abs_tol=abs_tol
        )


_set_normal, _set_distance = slot_setters(Plane)
