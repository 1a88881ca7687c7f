# SPDX-License-Identifier: Apache-2.0
"""The base class of rectangles in 2D and boxes in 3D."""

from __future__ import annotations

import math
from typing import Any

from deepsim_colliders._crossings import Crossing, cross_box
from deepsim_colliders._frames import dot
from deepsim_colliders._shape import BOX, Shape, Solid
from deepsim_math import Pose


class CuboidCollider(Shape):
    """Rectangle or box: all points with coordinates within the half lengths [m]."""

    def __init__(self, lengths: tuple[float, ...], pose_offset: Pose) -> None:
        super().__init__(pose_offset)
        self._half = tuple(0.5 * length for length in lengths)
        self._radius = math.hypot(*self._half)

    @property
    def _solid(self) -> Solid:
        return Solid(BOX, self._half, 0.0)

    @property
    def _size(self) -> float:
        return self._radius

    @property
    def _extent(self) -> float:
        return self._radius

    def _holds(self, point: Any) -> bool:
        return self._beyond(point) <= self._gap

    def _beyond(self, point: Any) -> float:
        """Returns the distance of a point in the frame from the shape."""
        return math.hypot(*(max(abs(p) - h, 0.0) for p, h in zip(point, self._half)))

    def _gap_to(self, point: Any) -> tuple[float, Any]:
        out = tuple(p - max(-h, min(p, h)) for p, h in zip(point, self._half))
        distance = math.hypot(*out)
        return distance, tuple(o / distance for o in out) if distance > 0.0 else out

    def _cross(self, origin: Any, direction: Any) -> Crossing | None:
        return cross_box(origin, direction, self._half)

    def _near(self, point: Any, reach: float) -> bool:
        return self._beyond(self._frame.to_local(point)) <= reach

    def _farthest(self, point: Any) -> float:
        local = self._frame.to_local(point)
        return math.hypot(*(abs(p) + h for p, h in zip(local, self._half)))

    def _support(self, direction: Any) -> float:
        frame = self._frame
        reach = sum(h * abs(dot(axis, direction)) for axis, h in zip(frame.axes, self._half))
        return dot(frame.origin, direction) + reach

    def _contains(self, other: Any) -> bool:
        frame = self._frame
        touch = self._touch(other)
        for axis, h in zip(frame.axes, self._half):
            middle = dot(frame.origin, axis)
            back = tuple(-a for a in axis)
            if not other._support(axis) <= middle + h + touch:
                return False
            if not other._support(back) <= -middle + h + touch:
                return False
        return True

    def _faces_overlap(self, other: CuboidCollider) -> bool:
        """Returns whether no face separates the two, which is sufficient for rectangles only."""
        frame, others = self._frame, other._frame
        touch = self._touch(other)
        if not math.dist(frame.origin, others.origin) <= self._radius + other._radius + touch:
            return False
        gap = tuple(b - a for a, b in zip(frame.origin, others.origin))
        mine = frame.turn_to_local(gap)
        theirs = others.turn_to_local(gap)
        columns = [tuple(map(abs, frame.turn_to_local(axis))) for axis in others.axes]
        return all(
            abs(d) <= h + touch + dot(row, other._half)
            for d, h, row in zip(mine, self._half, zip(*columns))
        ) and all(
            abs(d) <= h + touch + dot(column, self._half)
            for d, h, column in zip(theirs, other._half, columns)
        )
