# SPDX-License-Identifier: Apache-2.0
"""Colliders of one piece, with queries in their own frame and in the world."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, Iterable, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Pose

from ._crossings import Crossing
from ._follower import ORIGIN
from .collider import Collider
from .proximity import Separation

# Touching counts as meeting. Rounding moves a rotated surface by about 1e-16 of its size, so a gap
# within this fraction of the sizes counts as touching.
TOUCH = 1e-9


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


# Rays against kinds up to BOX may be compiled.
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
    """Collider of one piece; queries between shapes reduce to questions about points."""

    def __init__(self, pose_offset: Pose) -> None:
        super().__init__(pose_offset)
        self._framed: Pose | None = None
        self._frame: Any = None
        # This shape at its last queried pose. Its frame never changes, so threads may share it.
        self._placed: Shape | None = None
        # Values that depend on the shape alone, computed once.
        self._memo: dict[str, Any] = {}

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

    def _holds_here(self, point: Any) -> bool:
        """Returns whether a point in the world frame is in the shape or touches it."""
        return self._holds(self._frame.to_local(point))

    def _hold_here(self, points: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Returns the results of `_holds_here` for points (n, dimensions)."""
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
        start = self._frame.to_local(origin)
        return self._first_here(start, self._cross(start, self._frame.turn_to_local(direction)))

    def _crossings_here(self, origin: Any, direction: Any) -> list[Crossing]:
        """Returns all connected pieces of a ray, like `_cross_here`."""
        start = self._frame.to_local(origin)
        pieces = self._crossings(start, self._frame.turn_to_local(direction))
        first = self._first_here(start, pieces[0] if pieces else None)
        return [] if first is None else [first, *map(self._here, pieces[1:])]

    def _first_here(self, start: Any, crossing: Crossing | None) -> Crossing | None:
        if self._holds(start):
            return Crossing(0.0, max(crossing.end, 0.0) if crossing else 0.0, None)
        if crossing is None or crossing.normal is None or not 0.0 <= crossing.start < math.inf:
            return None
        return self._here(crossing)

    def _here(self, crossing: Crossing) -> Crossing:
        return crossing._replace(normal=self._frame.turn_to_world(crossing.normal))

    def _meets(self, other: Shape) -> bool:
        """Returns whether two shapes of the same dimensions share a point."""
        answer = self._intersects(other)
        if answer is NotImplemented:
            answer = other._intersects(self)
        if answer is NotImplemented:
            answer = self._separation(other).distance <= self._touch(other)
        return bool(answer)

    def _placed_shapes(self, base: Pose) -> list[tuple[Shape, Pose, bool]]:
        return [(self, base @ self.pose_offset, self.enabled)]

    def _live_shapes(self) -> tuple[Shape, ...]:
        """Returns this shape at its current pose, for the duration of a query."""
        if not self._enabled:
            return ()
        pose, placed = self.pose, self._placed
        if placed is None or placed._framed is not pose:
            placed = self._at(pose)
        return () if placed._frame is None else (placed,)

    def _at(self, pose: Pose) -> Shape:
        """Returns a copy of this shape, fixed at a pose."""
        placed = self._in(self._make_frame(pose) if math.isfinite(sum(pose)) else None)
        placed._framed = pose
        self._placed = placed
        return placed

    def _in(self, frame: Any) -> Shape:
        """Returns a copy of this shape, fixed in a frame of the world."""
        placed: Shape = object.__new__(type(self))
        placed.__dict__.update(self.__dict__, _frame=frame, _framed=None, _placed=None)
        return placed

    def __getstate__(self) -> dict[str, Any]:
        """Returns the state without the cached copy, for copying and pickling."""
        return {**self.__dict__, "_placed": None}

    def _touch(self, other: Shape) -> float:
        """Returns the gap [m] below which this and `other` count as touching."""
        return TOUCH * (self._extent + other._extent)

    @property
    def _extent(self) -> float:
        """Size of the shape without its offset from its frame [m]; it scales tolerances."""
        return self._size

    # Defined by Collider2D and Collider3D.

    @abstractmethod
    def _make_frame(self, pose: Pose) -> Any:
        """Returns the Frame2D or Frame3D of a pose."""

    @property
    @abstractmethod
    def _solid(self) -> Solid:
        """The shape as numbers."""

    @abstractmethod
    def _spot(self, point: Any) -> Any:
        """Returns a point in the world frame as a shape without size."""

    @abstractmethod
    def _separation(self, other: Any) -> Separation:
        """Returns the separation of two shapes of the same dimensions, in the world frame."""

    def _meetings(self, other: Any) -> Iterable[tuple[Any, list[tuple[Any, float]]]]:
        """Returns the contact normals from this shape to `other`, with their points and depths."""
        raise NotImplementedError(f"{type(self).__name__} has no contacts")

    @abstractmethod
    def _corners(self) -> Sequence[Any]:
        """Returns the corners in the world frame; round shapes have none."""

    @abstractmethod
    def _span(self, axis: int) -> tuple[float, float]:
        """Returns the least and greatest world coordinate along an axis."""

    # Queries in the frame of the shape.

    def _hold(self, points: Any) -> NDArray[np.bool_]:
        """Returns the results of `_holds` for points, given as one array per coordinate."""
        solid = self._solid
        return within(points, solid.half, solid.radius + self._gap)

    @property
    @abstractmethod
    def _size(self) -> float:
        """Distance of the farthest point of the shape from the origin of its frame [m]."""

    @abstractmethod
    def _holds(self, point: Any) -> bool:
        """Returns whether a point is in the shape or touches it."""

    @abstractmethod
    def _cross(self, origin: Any, direction: Any) -> Crossing | None:
        """Returns the first connected piece of a ray, or of its line, inside the shape."""

    def _crossings(self, origin: Any, direction: Any) -> list[Crossing]:
        """Returns all connected pieces of a ray, or of its line, inside the shape, in order.

        A convex shape has at most one.
        """
        crossing = self._cross(origin, direction)
        return [] if crossing is None else [crossing]

    # Queries in the world frame, with both shapes at their poses.

    @abstractmethod
    def _near(self, point: Any, reach: float) -> bool:
        """Returns whether any point of the shape is within `reach` of `point`."""

    @abstractmethod
    def _farthest(self, point: Any) -> float:
        """Returns the distance of `point` from the farthest point of the shape."""

    @abstractmethod
    def _support(self, direction: Any) -> float:
        """Returns the extent along the unit vector `direction`: the maximum of p . direction."""

    def _intersects(self, other: Any) -> Any:
        """Returns whether two shapes meet; NotImplemented defers to `other`."""
        return NotImplemented

    @abstractmethod
    def _contains(self, other: Any) -> bool:
        """Returns whether `other`, of the same dimensions, is inside the shape."""
