# SPDX-License-Identifier: Apache-2.0
"""The base class of 3D colliders, including user-defined ones."""

from __future__ import annotations

import itertools
import math
from typing import Any, Callable, Iterable, Sequence

from deepsim_math import Point, Pose, Vector3

from ._borders import unmasked
from ._frames import Frame, Triple, frame_3d
from ._gjk import AXES, Vec, along, dot, minus, mixed, nearest, scaled, unit
from ._shape import Shape
from .proximity import Piece, Separation, apart, separation

Level = Callable[[Vec], "tuple[float, Vec]"]
"""A convex function of points [m], with its direction of ascent."""

_SIDES = (-1.0, 0.0, 1.0)
_STARTS = [unit(step) for step in itertools.product(_SIDES, _SIDES, _SIDES) if any(step)]
_CLIMBS = 100


class Collider3D(Shape):
    """Base class of the 3D colliders.

    A subclass of your own is a convex shape: `support_point` defines its core, and `margin` the
    distance to which it extends around it. All queries follow from these two, exact to about 1e-7
    of its size. The shape must not change after construction.

    >>> class Cone(Collider3D):
    ...     '''Tip up, with its frame at the centre of the base.'''
    ...
    ...     def __init__(self, radius, height, **options):
    ...         super().__init__(**options)
    ...         self.radius, self.height = radius, height
    ...
    ...     def support_point(self, direction):
    ...         x, y, z = direction
    ...         aside = math.hypot(x, y)
    ...         if z * self.height > aside * self.radius:
    ...             return 0.0, 0.0, self.height
    ...         part = self.radius / aside if aside else 0.0
    ...         return part * x, part * y, 0.0
    >>> cone = Cone(1.0, 2.0)
    >>> cone.contains((0.4, 0, 1)), cone.contains((0.6, 0, 1))
    (True, False)
    """

    dimensions = 3
    _is_plane = False
    _is_point = False

    def support_point(self, direction: Triple) -> Triple:
        """Returns the farthest point of the core along a direction of any length > 0.

        Point and direction are in the frame of the shape.
        """
        raise NotImplementedError(f"{type(self).__name__} must define support_point(direction)")

    def _core_corners(self) -> Sequence[Triple] | None:
        """Returns the corners of the core in the frame; None if it is round."""
        return None

    def _measure_core(self) -> tuple[float, float]:
        back = [scaled(axis, -1.0) for axis in AXES]
        upper = [self.support_point(axis)[k] + self.margin for k, axis in enumerate(AXES)]
        lower = [self.support_point(axis)[k] - self.margin for k, axis in enumerate(back)]
        size = math.hypot(*(max(abs(a), abs(b)) for a, b in zip(lower, upper)))
        # Far from its frame, a shape is only as precise as a float there.
        return size, min(size, max(0.5 * math.dist(lower, upper), 1e-6 * size))

    def _make_frame(self, pose: Pose) -> Frame:
        return frame_3d(pose)

    def _point(self, values: Any) -> Triple:
        if not isinstance(values, (Point, Vector3)):
            values = Point.from_array(unmasked(values, "a point"))
        return values.x, values.y, values.z

    def _spot(self, *points: Triple) -> Piece:
        return Piece(points)

    # In the frame of the shape.

    def _gap_to_core(self, point: Triple) -> tuple[float, Triple]:
        size = math.hypot(*point) + self._size
        gap = nearest(Piece([point]), _Local(self), size).gap
        length = math.hypot(*gap)
        return length, scaled(gap, 1.0 / length) if length > 0.0 else gap

    def _overshoot(self, point: Triple) -> tuple[float, Triple]:
        """Returns how far a point is outside the surface [m], and the direction of ascent.

        It is a convex function, <= 0 inside: seen from the middle of the shape, the ratio of the
        distances of the point and of the surface. The distance from the shape would be 0 at all
        points inside, where a search could not tell where to go.
        """
        solid = self._numbers
        if solid and solid.radius:
            length, direction = self._gap_to(point)
            return length - solid.radius, direction
        if "middle" not in self._memo:
            ends = [self.support_point(step) for step in _STARTS]
            self._memo["middle"] = mixed([1.0 / len(ends)] * len(ends), ends)
        away = minus(point, self._memo["middle"])
        distance = math.hypot(*away)
        crossing = self._cross(self._memo["middle"], scaled(unit(away), -1.0))
        if crossing is None or crossing.normal is None or not crossing.start < 0.0:
            return distance, unit(away)
        x, y, z = crossing.normal
        return (distance / -crossing.start - 1.0) * self._extent, (x, y, z)

    # In the world.

    def _far_point(self, direction: Vec) -> Vec:
        """Returns the farthest point of the core along a direction, in the world frame."""
        # Written out, because GJK spends most of its time here.
        (ox, oy, oz), ((a, b, c), (d, e, f), (g, h, i)) = self._frame.origin, self._frame.axes
        x, y, z = direction
        local = x * a + y * b + z * c, x * d + y * e + z * f, x * g + y * h + z * i
        x, y, z = self.support_point(local)
        return ox + x * a + y * d + z * g, oy + x * b + y * e + z * h, oz + x * c + y * f + z * i

    def _toward(self, point: Vec) -> tuple[float, Vec]:
        """Returns the distance of a point from the core, and the direction to it, in the world."""
        distance, direction = self._gap_to(self._frame.to_local(point))
        return distance, self._frame.turn_to_world(direction)

    def _separation(self, other: Any) -> Separation:
        return separation(self, other)

    def _meets(self, other: Any) -> bool:
        return apart(self, other) <= self._touch(other) and super()._meets(other)

    def _support(self, direction: Triple) -> float:
        reach = self.margin * math.hypot(*direction) if self.margin else 0.0
        return dot(self._far_point(direction), direction) + reach

    def _farthest(self, point: Triple) -> float:
        corners = self._core_corners()
        if corners is not None:
            local = self._frame.to_local(point)
            return max(math.dist(corner, local) for corner in corners) + self.margin
        return _highest(lambda place: (math.dist(place, point), minus(place, point)), self)

    def _contains(self, other: Any) -> bool:
        frame = self._frame

        def overshoot(place: Vec) -> tuple[float, Vec]:
            height, ascent = self._overshoot(frame.to_local(place))
            return height, frame.turn_to_world(ascent)

        if math.isinf(other._size):
            return False
        return _highest(overshoot, other) <= self._touch(other)

    def _corners(self) -> list[Triple]:
        corners = () if self.margin else self._core_corners() or ()
        return [self._frame.to_world(corner) for corner in corners]

    def _extremes(self) -> Iterable[Vec]:
        """Returns corners, or points around a round surface, in the world frame."""
        corners = self._corners()
        if corners:
            return corners
        return [along(self._far_point(step), self.margin, step) for step in _STARTS]

    def _pieces(self, other: Any) -> Iterable[Any]:
        """Returns the convex pieces, in the world frame, that may be near `other`."""
        return (self,)

    def _encloses(self, other: Any) -> bool:
        """Returns whether this is a closed mesh around `other`, without touching it."""
        return False

    def _ball(self) -> tuple[Vec, float]:
        """Returns the centre and radius of a ball around the shape, in the world frame."""
        middle: Vec = self._frame.origin
        return middle, self._size


def _highest(level: Level, shape: Any) -> float:
    """Returns the maximum of a convex function of world points on a shape.

    The maximum is at an extreme point of the shape. From many starting points, the search moves to
    the extreme point farthest along the gradient, as long as the value grows.
    """
    best = -math.inf
    for place in shape._extremes():
        value, ascent = level(place)
        for _ in range(_CLIMBS):
            length = math.hypot(*ascent)
            if length == 0.0:
                break
            heading = scaled(ascent, 1.0 / length)
            place = along(shape._far_point(heading), shape.margin, heading)
            after, ascent = level(place)
            if after <= value + 1e-14 * abs(value):
                break
            value = after
        best = max(best, value)
    return best


class _Local:
    """A shape as a `Body` in its own frame."""

    def __init__(self, shape: Collider3D) -> None:
        self._far_point = shape.support_point
