# SPDX-License-Identifier: Apache-2.0
"""Places."""

from __future__ import annotations

from typing import Any, overload

from ._coordinates import Coordinates, make
from .vector3 import Vector3


class Point(Coordinates):
    """Place in a frame [m].

    The difference of two points is a Vector3; a point and a vector add up to a point. Two points
    have no sum.

    >>> Point(3, 2, 1) - Point(1, 1, 1)
    Vector3(2.0, 1.0, 0.0)
    """

    __slots__ = ()

    def __add__(self, other: Any) -> Point:
        if isinstance(other, Vector3):
            return make(Point, self.x + other.x, self.y + other.y, self.z + other.z)
        return NotImplemented

    @overload
    def __sub__(self, other: Point) -> Vector3: ...
    @overload
    def __sub__(self, other: Vector3) -> Point: ...
    def __sub__(self, other: Any) -> Any:
        if isinstance(other, Point):
            return make(Vector3, self.x - other.x, self.y - other.y, self.z - other.z)
        if isinstance(other, Vector3):
            return make(Point, self.x - other.x, self.y - other.y, self.z - other.z)
        return NotImplemented

    def __radd__(self, other: Any) -> Any:
        if isinstance(other, Vector3):
            return self + other
        return super().__radd__(other)


Position = Point
"""The name of a point in the DeepSim paper's Appendix A."""
