# SPDX-License-Identifier: Apache-2.0
"""The base class of convex 3D colliders, including user-defined ones."""

from __future__ import annotations

import itertools
import math
from abc import abstractmethod
from typing import Any, Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Pose

from ._crossings import Crossing
from ._follower import ORIGIN
from ._frames import Triple
from ._shape import OTHER, Solid
from .collider_3d import Collider3D
from .convex.depth import penetration
from .convex.distance import nearest
from .convex.minkowski import Pairing
from .convex.triangle import Spot
from .convex.vectors import AXES, Vec, along, dot, minus, scaled, unit

Level = Callable[[Triple], "tuple[float, Triple]"]
"""A convex function of points in the frame, <= 0 inside [m], and its direction of ascent."""

_SIDES = (-1.0, 0.0, 1.0)
_STARTS = [unit(step) for step in itertools.product(_SIDES, _SIDES, _SIDES) if any(step)]
_CASTS = 100


class ConvexCollider(Collider3D):
    """Convex 3D shape; the base class of user-defined shapes.

    A subclass defines its farthest point along a direction; all queries follow from that, exact to
    about 1e-7 of its size. The shape must not change after construction.

    >>> class Cone(ConvexCollider):
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

    _rounding = 0.0
    """Distance by which the shape extends beyond its core [m]."""

    def __init__(self, pose_offset: Pose = ORIGIN) -> None:
        super().__init__(pose_offset)

    @abstractmethod
    def support_point(self, direction: Triple) -> Triple:
        """Returns the farthest point of the shape along a direction of any length > 0.

        Point and direction are in the frame of the shape.
        """

    def _core_point(self, direction: Triple) -> Triple:
        """Returns the farthest point of the core, which excludes the rounding."""
        return self.support_point(direction)

    def _core_corners(self) -> Sequence[Triple] | None:
        """Returns the corners of the core in the frame; None if it is round."""
        return None

    def _box_here(self) -> tuple[list[float], list[float]]:
        """Returns the least and greatest coordinates in the frame."""
        if "box" not in self._memo:
            upper = [self.support_point(axis)[k] for k, axis in enumerate(AXES)]
            lower = [self.support_point(scaled(axis, -1.0))[k] for k, axis in enumerate(AXES)]
            self._memo["box"] = lower, upper
        box: tuple[list[float], list[float]] = self._memo["box"]
        return box

    @property
    def _solid(self) -> Solid:
        return Solid(OTHER, (0.0, 0.0, 0.0), self._size)

    @property
    def _size(self) -> float:
        return math.hypot(*(max(abs(a), abs(b)) for a, b in zip(*self._box_here())))

    @property
    def _extent(self) -> float:
        if "extent" not in self._memo:
            size = self._size
            # Far from its frame, a shape is only as precise as a float there.
            self._memo["extent"] = min(size, max(0.5 * math.dist(*self._box_here()), 1e-6 * size))
        extent: float = self._memo["extent"]
        return extent

    # In the frame of the shape.

    def _gap_to(self, point: Triple) -> tuple[float, Triple]:
        """Returns the distance of a point from the core, and the direction towards it."""
        here = Pairing(Spot(point), _Local(self))
        gap = nearest(here, math.dist(point, (0.0, 0.0, 0.0)) + self._size).gap
        length = math.hypot(*gap)
        return length, scaled(gap, 1.0 / length) if length > 0.0 else gap

    def _levels(self) -> list[Level]:
        """Returns functions that are all <= 0 inside the shape; outside, at least one is > 0."""
        return [self._depth_level]

    def _depth_level(self, point: Triple) -> tuple[float, Triple]:
        distance, direction = self._gap_to(point)
        if distance > 0.0:
            return distance - self._rounding, direction
        found = penetration(Pairing(_Local(self), Spot(point)), self._size)
        return -found.depth - self._rounding, found.direction

    def _holds(self, point: Any) -> bool:
        return self._gap_to(point)[0] - self._rounding <= self._gap

    def _hold(self, points: Any) -> NDArray[np.bool_]:
        if self._solid.kind != OTHER:  # the numbers define the shape
            return super()._hold(points)
        rows = zip(*(np.asarray(column).tolist() for column in points))
        return np.array([self._holds(row) for row in rows], dtype=np.bool_)

    def _cross(self, origin: Triple, direction: Triple) -> Crossing | None:
        speed = math.hypot(*direction)
        heading = scaled(direction, 1.0 / speed)
        middle = -dot(origin, heading)
        around = along(origin, middle, heading)
        reach = 1.001 * self._size
        if math.hypot(*around) > reach:
            return None
        first = self._cast(along(around, -reach, heading), heading)
        last = self._cast(along(around, reach, heading), scaled(heading, -1.0))
        if first is None or last is None:
            return None
        start, end = middle - reach + first[0], middle + reach - last[0]
        return Crossing(start / speed, max(start, end) / speed, first[1])

    def _cast(self, origin: Triple, heading: Triple) -> tuple[float, Triple] | None:
        """Returns the distance and normal where a ray from outside meets the shape.

        Uses conservative advancement: it moves from one separating plane to the next.
        """
        travelled, normal = 0.0, scaled(heading, -1.0)
        for _ in range(_CASTS):
            distance, direction = self._gap_to(along(origin, travelled, heading))
            distance -= self._rounding
            if distance <= 1e-13 * self._size:
                return travelled, normal
            normal = direction
            closing = -dot(normal, heading)
            if closing <= 0.0:
                return None
            travelled += distance / closing
            if travelled > 3.0 * self._size:
                return None
        return travelled, normal

    # In the world.

    def _far_point(self, direction: Vec) -> Vec:
        """Returns the farthest point of the core along a direction, in the world frame."""
        frame = self._frame
        return frame.to_world(self._core_point(frame.turn_to_local(direction)))  # type: ignore[no-any-return]

    def _toward(self, point: Vec) -> tuple[float, Vec]:
        """Returns the distance of a point from the core, and the direction to it, in the world."""
        distance, direction = self._gap_to(self._frame.to_local(point))
        return distance, self._frame.turn_to_world(direction)

    def _support(self, direction: Triple) -> float:
        reach = self._rounding * math.hypot(*direction) if self._rounding else 0.0
        return dot(self._far_point(direction), direction) + reach

    def _near(self, point: Triple, reach: float) -> bool:
        return self._gap_to(self._frame.to_local(point))[0] - self._rounding <= reach

    def _farthest(self, point: Triple) -> float:
        def away(place: Triple) -> tuple[float, Triple]:
            return math.dist(place, point), minus(place, point)

        return highest(away, self)

    def _contains(self, other: Any) -> bool:
        touch = self._touch(other)
        frame = self._frame

        def level_here(level: Level) -> Level:
            def value(place: Triple) -> tuple[float, Triple]:
                height, ascent = level(frame.to_local(place))
                return height, frame.turn_to_world(ascent)

            return value

        if math.isinf(other._size):
            return False
        return all(highest(level_here(level), other) <= touch for level in self._levels())

    def _corners(self) -> list[Triple]:
        corners = () if self._rounding else self._core_corners() or ()
        return [self._frame.to_world(corner) for corner in corners]

    def _extremes(self) -> Iterable[Triple]:
        corners = self._corners()
        if corners:
            return corners
        return [along(self._far_point(step), self._rounding, step) for step in _STARTS]

    def _pieces(self, other: Any) -> Iterable[Any]:
        return (self,)

    # Contacts of faces.

    def _face_here(self, direction: Triple) -> tuple[Triple, list[Triple]] | None:
        """Returns the normal and ordered corners of the flat face towards a direction, or None."""
        return None

    def _low_points(self, direction: Triple) -> Sequence[Triple]:
        """Returns the points of the core that may rest on a plane, including the farthest one."""
        return self._core_corners() or (self._core_point(direction),)

    def _face_there(self, direction: Vec) -> tuple[Vec, list[Vec]] | None:
        """Returns the face of `_face_here` in the world frame."""
        frame = self._frame
        face = self._face_here(frame.turn_to_local(direction))
        if face is None:
            return None
        return frame.turn_to_world(face[0]), [frame.to_world(corner) for corner in face[1]]

    def _low_points_there(self, direction: Vec) -> list[Vec]:
        """Returns the points of `_low_points` in the world frame, moved to the surface."""
        frame = self._frame
        found = self._low_points(frame.turn_to_local(direction))
        return [along(frame.to_world(point), self._rounding, direction) for point in found]


def highest(level: Level, shape: Any) -> float:
    """Returns the maximum of a convex function of world points on a shape.

    The maximum is at an extreme point of the shape. From many starting points, the search moves to
    the extreme point farthest along the gradient, as long as the value grows.
    """
    best = -math.inf
    for place in shape._extremes():
        value, ascent = level(place)
        for _ in range(_CASTS):
            length = math.hypot(*ascent)
            if length == 0.0:
                break
            heading = scaled(ascent, 1.0 / length)
            place = along(shape._far_point(heading), shape._rounding, heading)
            after, ascent = level(place)
            if after <= value + 1e-14 * abs(value):
                break
            value = after
        best = max(best, value)
    return best


class _Local:
    """A shape as a `Body` in its own frame."""

    def __init__(self, shape: ConvexCollider) -> None:
        self._far_point = shape._core_point
