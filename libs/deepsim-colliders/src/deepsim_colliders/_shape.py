# SPDX-License-Identifier: Apache-2.0
"""Colliders of one piece, with queries in their own frame and in the world."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Pose

from ._crossings import Crossing, advance
from .collider import ORIGIN, Collider
from .proximity import Separation

# Touching counts as meeting. Rounding moves a rotated surface by about 1e-16 of its size, so a gap
# within this fraction of the sizes counts as touching.
TOUCH = 1e-9

_CASTS = 100

Array = NDArray[np.float64]


class Solid(NamedTuple):
    """Numbers that describe a shape in arrays: all points within `radius` of a box, its core.

    The core of a ball is a point, and the core of a capsule a line; a box has radius 0. For any
    other shape, the solid is a ball around it.
    """

    kind: int
    half: Sequence[float]
    """Half lengths of the core [m]."""
    radius: float
    """Distance by which the shape extends beyond its core [m]."""


BALL, CAPSULE, BOX, GEOMETRY, OTHER = range(5)
KINDS = 5


def within(points: Any, half: Any, reach: Any) -> NDArray[np.bool_]:
    """Returns whether points are within `reach` of the box [-half, half].

    `points` and `half` have one number or array per dimension.
    """
    gaps = (np.maximum(np.abs(p) - h, 0.0) for p, h in zip(points, half))
    near: NDArray[np.bool_] = sum(gap * gap for gap in gaps) <= reach * reach
    return near


class Shape(Collider):
    """Collider of one piece: all points within `margin` of its core."""

    _numbers: Solid | None = None
    """Set by shapes that numbers define."""

    def __init__(self, pose_offset: Pose = ORIGIN) -> None:
        super().__init__(pose_offset)
        self._framed: Pose | None = None
        self._frame: Any = None
        # This shape at its last queried pose. Its frame never changes, so threads may share it.
        self._placed: Shape | None = None
        # Values that depend on the shape alone, computed once.
        self._memo: dict[str, Any] = {}

    @property
    def margin(self) -> float:
        """Distance by which the shape extends beyond its core [m]; 0 by default."""
        return 0.0

    def __repr__(self) -> str:
        sizes = self._sizes()
        if self.pose_offset != ORIGIN:
            sizes += f"{', ' if sizes else ''}pose_offset={self.pose_offset!r}"
        return f"{type(self).__name__}({sizes})"

    def _sizes(self) -> str:
        """Returns the arguments of the constructor as Python text."""
        return ""

    @property
    def _gap(self) -> float:
        """Gap [m] below which a point counts as touching."""
        return TOUCH * self._extent

    def _touch(self, other: Shape) -> float:
        """Returns the gap [m] below which this and `other` count as touching."""
        return TOUCH * (self._extent + other._extent)

    @property
    def _solid(self) -> Solid:
        """The shape as numbers."""
        return self._numbers or Solid(OTHER, (0.0,) * self.dimensions, self._size)

    @property
    def _size(self) -> float:
        """Distance of the farthest point of the shape from the origin of its frame [m]."""
        return self._measures()[0]

    @property
    def _extent(self) -> float:
        """Size of the shape without its offset from its frame [m]; it scales tolerances."""
        return self._measures()[1]

    def _measures(self) -> tuple[float, float]:
        """Returns `_size` and `_extent`."""
        if "measures" not in self._memo:
            solid = self._numbers
            size = math.hypot(*solid.half) + solid.radius if solid else 0.0
            self._memo["measures"] = (size, size) if solid else self._measure_core()
        measures: tuple[float, float] = self._memo["measures"]
        return measures

    # The shape at a pose.

    def _placed_shapes(self, base: Pose) -> list[tuple[Shape, Pose, bool]]:
        return [(self, base @ self.pose_offset, self.enabled)]

    def _live_shapes(self) -> tuple[Shape, ...]:
        """Returns this shape at its current pose, for the duration of a query."""
        if not self._enabled:
            return ()
        pose, placed = self.pose, self._placed
        if placed is None or placed._framed is not pose:
            placed = self._in(self._make_frame(pose) if math.isfinite(sum(pose)) else None)
            placed._framed = pose
            self._placed = placed
        return () if placed._frame is None else (placed,)

    def _in(self, frame: Any) -> Shape:
        """Returns a copy of this shape, fixed in a frame of the world."""
        placed: Shape = object.__new__(type(self))
        placed.__dict__.update(self.__dict__, _frame=frame, _framed=None, _placed=None)
        return placed

    def __getstate__(self) -> dict[str, Any]:
        """Returns the state without cached copies, for copying and pickling."""
        return {**self.__dict__, "_placed": None, "_memo": {}}

    def _hold_here(self, points: Array) -> NDArray[np.bool_]:
        """Returns whether points (n, dimensions) in the world are in the shape or touch it."""
        frame = self._frame
        with np.errstate(invalid="ignore"):  # a point that is not finite is outside
            if self._framed is ORIGIN:  # such as a track in world coordinates
                return self._hold(points.T)
            offset = points.T - np.array(frame.origin)[:, np.newaxis]
            return self._hold(np.array(frame.axes) @ offset)

    def _cross_here(self, origin: Any, direction: Any) -> Crossing | None:
        """Returns the first connected piece of a world ray, t >= 0, inside the shape.

        The normal, in the world frame, is None if the ray starts inside the shape.
        """
        frame = self._frame
        start = frame.to_local(origin)
        crossing = self._cross(start, frame.turn_to_local(direction))
        if self._holds(start):
            return Crossing(0.0, max(crossing.end, 0.0) if crossing else 0.0, None)
        if crossing is None or crossing.normal is None or not 0.0 <= crossing.start < math.inf:
            return None
        return crossing._replace(normal=frame.turn_to_world(crossing.normal))

    def _meets(self, other: Shape) -> bool:
        """Returns whether two shapes of the same dimensions share a point."""
        return self._separation(other).distance <= self._touch(other)

    # In the frame of the shape, for one point or ray.

    def _holds(self, point: Any) -> bool:
        """Returns whether a point is in the shape or touches it."""
        return self._gap_to(point)[0] <= self.margin + self._gap

    def _cross(self, origin: Any, direction: Any) -> Crossing | None:
        """Returns the first connected piece of a ray, or of its line, inside the shape.

        This is for convex shapes: from either side, it advances to the next separating plane.
        """
        speed = math.hypot(*direction)
        if speed == 0.0:  # a vertical ray, seen in 2D
            return Crossing(-math.inf, math.inf, direction) if self._holds(origin) else None
        heading = tuple(d / speed for d in direction)
        middle = -sum(o * h for o, h in zip(origin, heading))
        around = tuple(o + middle * h for o, h in zip(origin, heading))
        reach = 1.001 * self._size
        if math.hypot(*around) > reach:
            return None
        back = tuple(-h for h in heading)
        first = self._cast(tuple(a - reach * h for a, h in zip(around, heading)), heading)
        last = self._cast(tuple(a + reach * h for a, h in zip(around, heading)), back)
        if first is None or last is None:
            return None
        start, end = middle - reach + first[0], middle + reach - last[0]
        return Crossing(start / speed, max(start, end) / speed, first[1])

    def _cast(self, origin: Any, heading: Any) -> tuple[float, Any] | None:
        """Returns the distance and normal where a ray from outside meets a convex shape."""
        travelled, normal = 0.0, tuple(-h for h in heading)
        for _ in range(_CASTS):
            distance, direction = self._gap_to(
                tuple(o + travelled * h for o, h in zip(origin, heading))
            )
            distance -= self.margin
            if distance <= 1e-13 * self._size:
                return travelled, normal
            normal = direction
            closing = -sum(n * h for n, h in zip(normal, heading))
            if closing <= 0.0:
                return None
            travelled += distance / closing
            if travelled > 3.0 * self._size:
                return None
        return travelled, normal

    def _gap_to(self, point: Any) -> tuple[float, Any]:
        """Returns the distance of a point from the core, and the unit vector towards it."""
        solid = self._numbers
        if solid is None:
            return self._gap_to_core(point)
        out = tuple(p - max(-h, min(p, h)) for p, h in zip(point, solid.half))
        distance = math.hypot(*out)
        return distance, tuple(o / distance for o in out) if distance > 0.0 else out

    # In the frame of the shape, for many points (dimensions, n) or rays (n, dimensions).

    def _hold(self, points: Any) -> NDArray[np.bool_]:
        """Returns the results of `_holds`."""
        solid = self._numbers
        if solid:
            return within(points, solid.half, solid.radius + self._gap)
        rows = zip(*(np.asarray(column).tolist() for column in points))
        return np.array([self._holds(row) for row in rows], dtype=np.bool_)

    def _enter(self, origins: Array, directions: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Returns the first t >= 0 at which rays enter, and whether they start inside."""
        starts = self._cross_many(origins, directions)[0]
        return np.where(starts >= 0.0, starts, np.inf), self._hold(origins.T)

    def _normals(self, origins: Array, directions: Array) -> Array:
        """Returns the unit normals (n, dimensions), against the rays, where rays enter."""
        return self._cross_many(origins, directions)[1]

    def _cross_many(self, origins: Array, directions: Array) -> tuple[Array, Array]:
        """Returns the starts, NaN for misses, and normals of the crossings of many rays."""
        starts, normals = np.full(len(origins), np.nan), np.full(origins.shape, np.nan)
        for k, ray in enumerate(zip(origins.tolist(), directions.tolist())):
            crossing = self._cross(*ray)
            if crossing is not None:
                starts[k], normals[k] = crossing.start, crossing.normal
        return starts, normals

    def _gaps(self, points: Array) -> tuple[Array, Array]:
        """Returns distances (n,) of points (n, dimensions), and unit vectors away from the shape.

        Inside the shape, a distance is 0 or less.
        """
        found = [self._gap_to(point) for point in points.tolist()]
        distances = np.array([distance for distance, _ in found]).reshape(-1) - self.margin
        return distances, np.array([away for _, away in found]).reshape(points.shape)

    def _line_gaps(self, starts: Array, ends: Array) -> Array:
        """Returns the distances (n,) of lines between points (n, dimensions) from the shape."""
        here = self._in(self._make_frame(ORIGIN))
        lines = [here._spot(*line) for line in zip(starts.tolist(), ends.tolist())]
        return np.array([here._separation(line).distance for line in lines])

    def _sweep(self, origins: Array, directions: Array, radii: Array, farthest: Array) -> Array:
        """Returns the distances of `advance` for balls that do not touch the shape at first."""

        def gaps(_: Any, points: Array) -> tuple[Array, Array]:
            return self._gaps(points)

        return advance(gaps, origins, directions, radii, farthest)

    # In the world frame, with both shapes at their poses.

    def _near(self, point: Any, reach: float) -> bool:
        """Returns whether any point of the shape is within `reach` of `point`."""
        return self._gap_to(self._frame.to_local(point))[0] <= self.margin + reach

    # Defined by Collider2D and Collider3D.

    @abstractmethod
    def _measure_core(self) -> tuple[float, float]:
        """Returns `_size` and `_extent` of a shape that numbers do not define."""

    @abstractmethod
    def _gap_to_core(self, point: Any) -> tuple[float, Any]:
        """Returns `_gap_to` of a shape that numbers do not define."""

    @abstractmethod
    def _make_frame(self, pose: Pose) -> Any:
        """Returns the frame of a pose."""

    @abstractmethod
    def _spot(self, *points: Any) -> Any:
        """Returns a point, or the line between two, in the world frame as a shape."""

    @abstractmethod
    def _separation(self, other: Any) -> Separation:
        """Returns the separation of two shapes of the same dimensions, in the world frame."""

    @abstractmethod
    def _corners(self) -> Sequence[Any]:
        """Returns the corners in the world frame; round shapes have none."""

    @abstractmethod
    def _farthest(self, point: Any) -> float:
        """Returns the distance of `point` from the farthest point of the shape."""

    @abstractmethod
    def _support(self, direction: Any) -> float:
        """Returns the extent along the unit vector `direction`: the maximum of p . direction."""

    @abstractmethod
    def _contains(self, other: Any) -> bool:
        """Returns whether `other`, of the same dimensions, is inside the shape."""
