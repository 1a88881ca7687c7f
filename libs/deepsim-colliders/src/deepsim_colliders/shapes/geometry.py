# SPDX-License-Identifier: Apache-2.0
"""Colliders of shapely geometries."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from deepsim_colliders._crossings import Crossing
from deepsim_colliders._follower import ORIGIN
from deepsim_colliders._frames import Frame2D, Pair, dot
from deepsim_colliders._shape import GEOMETRY, Solid
from deepsim_colliders.collider_2d import Collider2D
from deepsim_math import Pose

from ._outline import Outline
from .ball import CircleCollider
from .rectangle import RectangleCollider

Points = NDArray[np.float64]

_KINDS = ("Polygon", "MultiPolygon", "LineString", "LinearRing", "MultiLineString")


class GeometryCollider(Collider2D):
    """Collider made of shapely areas or lines, such as a track, a lane or a wall.

    The geometry moves and turns with the frame. It is prepared once; queries transform the other
    side into its frame.

    >>> lane = GeometryCollider(shapely.LineString([(0, 0), (10, 0), (10, 10)]).buffer(2.0))
    >>> lane.contains((5, 1.9)), lane.contains((5, 2.1))
    (True, False)

    Args:
        geometry: Polygon, MultiPolygon, LineString, LinearRing or MultiLineString [m]; z is
            ignored.

    Raises:
        TypeError: when `geometry` is of another type.
        ValueError: when `geometry` is empty or invalid; the message gives the reason.
    """

    def __init__(self, geometry: shapely.Geometry, *, pose_offset: Pose = ORIGIN) -> None:
        super().__init__(pose_offset)
        self._geometry = _checked(geometry)
        self._vertices = shapely.get_coordinates(self._geometry)
        self._radius = float(np.hypot(*self._vertices.T).max())
        # Far from its frame, a geometry is only as precise as a float there.
        room = 0.5 * float(np.hypot(*np.ptp(self._vertices, axis=0)))
        self._room = min(self._radius, max(room, 1e-6 * self._radius))
        areal = self._geometry.area > 0.0
        self._boundary = self._geometry.boundary if areal else self._geometry
        # The same shape, grown by the touching distance: shapely treats geometries as closed sets,
        # but after a rotation only rounding would decide whether points are on the surface.
        self._closed = shapely.buffer(self._geometry, self._gap, join_style="mitre")
        self._outline = Outline(self._boundary, self._gap)
        shapely.prepare([self._geometry, self._boundary, self._closed])

    @property
    def geometry(self) -> shapely.Geometry:
        """The geometry in the frame of the collider, without z."""
        return self._geometry

    def _sizes(self) -> str:
        return repr(self._geometry)

    @property
    def _solid(self) -> Solid:
        return Solid(GEOMETRY, (0.0, 0.0), self._radius)

    @property
    def _size(self) -> float:
        return self._radius

    @property
    def _extent(self) -> float:
        return self._room

    def _near_points(self, points: Points, reach: Points) -> NDArray[np.bool_]:
        """Returns whether points (n, 2) are within `reach` (n,) of the geometry."""
        near: NDArray[np.bool_] = shapely.dwithin(self._geometry, shapely.points(points), reach)
        return near

    def _meets_geometries(self, geometries: NDArray[Any]) -> NDArray[np.bool_]:
        """Returns whether geometries in the frame meet this one."""
        met: NDArray[np.bool_] = shapely.intersects(self._closed, geometries)
        return met

    def _contains_balls(self, centers: Points, radii: Points) -> NDArray[np.bool_]:
        """Returns whether discs about points (n, 2) in the frame are inside the geometry."""
        inside: NDArray[np.bool_] = self._hold(centers.T) & ~shapely.dwithin(
            self._boundary, shapely.points(centers), radii
        )
        return inside

    def _covers_geometries(self, geometries: NDArray[Any]) -> NDArray[np.bool_]:
        """Returns whether geometries in the frame lie inside this one."""
        covered: NDArray[np.bool_] = shapely.covers(self._closed, geometries)
        return covered

    def _enter(self, origins: Points, directions: Points) -> tuple[Points, NDArray[np.bool_]]:
        """Returns the first t >= 0 at which rays meet an edge, and whether they start inside."""
        return self._outline.enter(origins, directions)[0], self._hold(origins.T)

    def _normals(self, origins: Points, directions: Points) -> Points:
        """Returns the unit normals, against the rays, of the edges that the rays meet first."""
        return self._outline.enter(origins, directions)[1]

    def _holds(self, point: Pair) -> bool:
        return bool(shapely.intersects_xy(self._closed, *point))

    def _hold(self, points: Any) -> NDArray[np.bool_]:
        inside: NDArray[np.bool_] = shapely.intersects_xy(self._closed, points[0], points[1])
        return inside

    def _cross(self, origin: Pair, direction: Pair) -> Crossing | None:
        return next(iter(self._crossings(origin, direction)), None)

    def _crossings(self, origin: Pair, direction: Pair) -> list[Crossing]:
        return self._outline.crossings(origin, direction, self._hold)

    def _near(self, point: Pair, reach: float) -> bool:
        local = self._frame.to_local(point)
        return bool(shapely.dwithin(self._geometry, shapely.Point(local), reach))

    def _farthest(self, point: Pair) -> float:
        offsets = self._vertices - self._frame.to_local(point)
        return float(np.hypot(*offsets.T).max())

    def _support(self, direction: Pair) -> float:
        frame = self._frame
        along = frame.turn_to_local(direction)
        return float(dot(frame.origin, direction) + (self._vertices @ along).max())

    def _intersects(self, other: Collider2D) -> Any:
        if isinstance(other, GeometryCollider) and len(other._vertices) > len(self._vertices):
            return other._intersects(self)
        shape = self._brought_here(other)
        return NotImplemented if shape is None else bool(shapely.intersects(self._closed, shape))

    def _contains(self, other: Collider2D) -> bool:
        shape = self._brought_here(other)
        if shape is not None:
            return bool(shapely.covers(self._closed, shape))
        if isinstance(other, CircleCollider):
            local = self._frame.to_local(other._frame.origin)
            return self._holds(local) and not shapely.dwithin(
                self._boundary, shapely.Point(local), other.radius - self._touch(other)
            )
        raise TypeError(f"no containment test for {type(other).__name__} in {type(self).__name__}")

    def _flat(self) -> tuple[shapely.Geometry, float]:
        frame: Frame2D = self._frame
        moved = shapely.transform(
            self._geometry, lambda xy: xy @ np.array(frame.axes) + frame.origin
        )
        return moved, 0.0

    def _brought_here(self, other: Collider2D) -> shapely.Geometry | None:
        """Returns the other collider as a geometry in this frame; None for a round one."""
        frame: Frame2D = self._frame
        if isinstance(other, RectangleCollider):
            return shapely.Polygon([frame.to_local(corner) for corner in other._corners()])
        if isinstance(other, GeometryCollider):
            others: Frame2D = other._frame
            if (others.origin, others.axes) == (frame.origin, frame.axes):
                return other._geometry
            return shapely.transform(other._geometry, lambda xy: _change_frame(xy, others, frame))
        return None


def _change_frame(xy: Points, source: Frame2D, target: Frame2D) -> Points:
    world = xy @ np.array(source.axes) + source.origin
    moved: Points = (world - target.origin) @ np.array(target.axes).T
    return moved


def _checked(geometry: Any) -> shapely.Geometry:
    if not isinstance(geometry, shapely.Geometry) or geometry.geom_type not in _KINDS:
        raise TypeError(f"GeometryCollider takes one of {', '.join(_KINDS)}, got {geometry!r}")
    if geometry.is_empty:
        raise ValueError(f"GeometryCollider needs a geometry with points, got {geometry.wkt}")
    if not geometry.is_valid:
        reason = shapely.is_valid_reason(geometry)
        raise ValueError(
            f"invalid geometry: {reason}; repair it, for example with shapely.make_valid"
        )
    return shapely.force_2d(geometry)
