# SPDX-License-Identifier: Apache-2.0
"""The base class of 2D colliders, including user-defined ones."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, Sequence

import numpy as np
import shapely
from numpy.typing import NDArray

from deepsim_math import Point, Pose, Vector3

from ._borders import numbers, unmasked
from ._core import KINDS, Core, checked
from ._crossings import Crossing
from ._frames import Frame, Pair, dot, frame_2d
from ._shape import GEOMETRY, TOUCH, Array, Shape, Solid
from .proximity import Separation, widened


class Collider2D(Shape):
    """Base class of the 2D colliders: on the ground, with x, y and yaw of the pose; z is ignored.

    In 3D it extends infinitely up and down: a ray meets it where the ray's projection on the ground
    does. The yaw is the direction of the pose's forward axis seen from above, or 0 while this axis
    is vertical; any other tilt is ignored.

    >>> from deepsim_colliders import RectangleCollider
    >>> from deepsim_math import Ray
    >>> RectangleCollider(2.0, 2.0).raycast(Ray((-3, 0, 7), (1, 0, 0))).distance
    2.0

    A subclass of your own defines its `core`, a shapely geometry in its frame, and may extend
    beyond it by a `margin`, exactly rather than as a polygon. The shape must not change after
    construction.

    >>> class Stadium(Collider2D):
    ...     '''A rectangle with round ends, along x.'''
    ...
    ...     def core(self):
    ...         return shapely.LineString([(-1, 0), (1, 0)])
    ...
    ...     @property
    ...     def margin(self):
    ...         return 0.5
    >>> stadium = Stadium()
    >>> stadium.contains((1.35, 0.35)), stadium.contains((1.36, 0.36)), stadium.distance((0, 2))
    (True, False, 1.5)
    """

    dimensions = 2

    @abstractmethod
    def core(self) -> shapely.Geometry:
        """Returns the core in the frame [m]: areas or lines, or with a margin also a point.

        With a margin, it must be convex.
        """

    @property
    def _core(self) -> Core:
        if "core" not in self._memo:
            name, margin, kinds = type(self).__name__, self.margin, KINDS
            geometry = checked(self.core(), name, ("Point", *kinds) if margin else kinds)
            if margin and not geometry.equals(geometry.convex_hull):
                raise ValueError(
                    f"the core of a {name}, which has a margin, must be convex, got "
                    f"{geometry.wkt}; use its buffer, without a margin"
                )
            self._memo["core"] = Core(geometry, margin, TOUCH)
        core: Core = self._memo["core"]
        return core

    @property
    def _solid(self) -> Solid:
        if self._numbers or self.margin:
            return super()._solid
        return Solid(GEOMETRY, (0.0, 0.0), self._size)

    def _measure_core(self) -> tuple[float, float]:
        return self._core.size, self._core.extent

    def _make_frame(self, pose: Pose) -> Frame:
        return frame_2d(pose)

    def _point(self, values: Any) -> Pair:
        if not isinstance(values, (Point, Vector3)):
            if hasattr(values, "__len__") and len(values) == 2:
                x, y = numbers(values, "a point").tolist()
                return x, y
            values = Point.from_array(unmasked(values, "a point"))
        return values.x, values.y

    def _spot(self, *points: Pair) -> Spot:
        return Spot(points)

    # In the frame of the shape.

    def _gap_to_core(self, point: Pair) -> tuple[float, Pair]:
        near, place = shapely.get_coordinates(
            shapely.shortest_line(self._core.geometry, shapely.Point(point))
        )
        x, y = (place - near).tolist()
        distance = math.hypot(x, y)
        return distance, (x / distance, y / distance) if distance > 0.0 else (0.0, 0.0)

    def _gaps(self, points: Array) -> tuple[Array, Array]:
        lines = shapely.shortest_line(self._core.geometry, shapely.points(points))
        away = np.diff(shapely.get_coordinates(lines).reshape(-1, 2, 2), axis=1)[:, 0]
        distance = np.hypot(*away.T)
        with np.errstate(invalid="ignore"):
            unit = np.nan_to_num(away / distance[:, np.newaxis])
        return distance - self.margin, unit

    def _line_gaps(self, starts: Array, ends: Array) -> Array:
        lines = shapely.linestrings(np.stack([starts, ends], axis=1))
        gaps: Array = shapely.distance(self._core.geometry, lines) - self.margin
        return gaps

    def _holds(self, point: Pair) -> bool:
        if self._numbers or self.margin:
            return super()._holds(point)
        return bool(shapely.intersects_xy(self._core.closed, *point))

    def _hold(self, points: Any) -> NDArray[np.bool_]:
        if self._numbers or self.margin:
            return super()._hold(points)
        inside: NDArray[np.bool_] = shapely.intersects_xy(self._core.closed, points[0], points[1])
        return inside

    def _cross(self, origin: Pair, direction: Pair) -> Crossing | None:
        outline = self._core.outline
        if outline is None:  # convex
            return super()._cross(origin, direction)
        return outline.crossing(origin, direction, self._hold)

    def _enter(self, origins: Array, directions: Array) -> tuple[Array, NDArray[np.bool_]]:
        outline = self._core.outline
        if outline is None:
            return super()._enter(origins, directions)
        return outline.enter(origins, directions)[0], self._hold(origins.T)

    def _normals(self, origins: Array, directions: Array) -> Array:
        outline = self._core.outline
        if outline is None:
            return super()._normals(origins, directions)
        return outline.enter(origins, directions)[1]

    def _sweep(self, origins: Array, directions: Array, radii: Array, farthest: Array) -> Array:
        outline = self._core.outline
        if outline is None:
            return super()._sweep(origins, directions, radii, farthest)
        return outline.sweep(origins, directions, radii, farthest)

    # In the world frame.

    def _flat(self) -> shapely.Geometry:
        """Returns the core in the world."""
        frame: Frame = self._frame
        axes = np.array(frame.axes)
        return shapely.transform(self._core.geometry, lambda xy: xy @ axes + frame.origin)

    def _separation(self, other: Any) -> Separation:
        mine, theirs = self._flat(), other._flat()
        first, second = shapely.get_coordinates(shapely.shortest_line(mine, theirs)).tolist()
        length = float(shapely.distance(mine, theirs))
        normal = (0.0, 0.0)
        if length > 0.0:
            normal = (second[0] - first[0]) / length, (second[1] - first[1]) / length
        return widened(length, normal, tuple(first), tuple(second), self.margin, other.margin)

    def _corners(self) -> list[Pair]:
        if self.margin:
            return []
        rings = [shapely.get_coordinates(line) for line in shapely.get_parts(self._core.boundary)]
        loose = [ring[:-1] if (ring[0] == ring[-1]).all() else ring for ring in rings]
        return [self._frame.to_world(corner) for corner in np.concatenate(loose).tolist()]

    def _farthest(self, point: Pair) -> float:
        offsets = self._core.vertices - self._frame.to_local(point)
        return float(np.hypot(*offsets.T).max()) + self.margin

    def _support(self, direction: Pair) -> float:
        frame: Frame = self._frame
        along = frame.turn_to_local(direction)
        reach = float((self._core.vertices @ along).max()) + self.margin
        return float(dot(frame.origin, direction) + reach)

    def _meets(self, other: Any) -> bool:
        if len(other._core.vertices) > len(self._core.vertices):
            return bool(other._meets(self))
        there, margin = self._brought_here(other), self.margin + other.margin
        if margin:
            reach = margin + self._touch(other)
            return bool(shapely.dwithin(self._core.geometry, there, reach))
        return bool(shapely.intersects(self._core.closed, there))

    def _contains(self, other: Any) -> bool:
        core, there, touch = self._core, self._brought_here(other), self._touch(other)
        extra = self.margin - other.margin
        if extra > 0.0:  # the core is convex: a corner of the other is the farthest point from it
            corners = shapely.points(shapely.get_coordinates(there))
            return bool(shapely.dwithin(core.geometry, corners, extra + touch).all())
        return bool(core.covers(there, -extra - touch if other.margin else None))

    def _brought_here(self, other: Any) -> shapely.Geometry:
        """Returns the core of another collider in the frame of this one."""
        here: Frame = self._frame
        there: Frame = other._frame
        if (there.origin, there.axes) == (here.origin, here.axes):
            return other._core.geometry

        def moved(xy: Array) -> Array:
            world = xy @ np.array(there.axes) + there.origin
            local: Array = (world - here.origin) @ np.array(here.axes).T
            return local

        return shapely.transform(other._core.geometry, moved)


class Spot:
    """A point on the ground, or the line between two, as a shape."""

    margin = 0.0

    def __init__(self, points: Sequence[Pair]) -> None:
        self._place = shapely.LineString(points) if len(points) > 1 else shapely.Point(points[0])

    def _flat(self) -> shapely.Geometry:
        return self._place
