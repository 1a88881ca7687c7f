# SPDX-License-Identifier: Apache-2.0
"""The course: a closed road on the ground, positions along it, and laps from gate to gate."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from shapely import LinearRing

from deepsim_colliders import GeometryCollider

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Numbers = NDArray[np.intp]

WIDTH = 1.8  # of the road [m]
_CORNERS = np.array([
    (-4.8, -3.8), (-0.4, -4.2), (4.2, -3.6), (5.9, -1.5), (5.6, 2.2),
    (4.7, 3.6), (3.0, 3.8), (0.0, 2.4), (-3.9, 3.7), (-6.7, 1.7),
])  # anticlockwise [m]; the centre line is a smooth curve through them  # fmt: skip
_SAMPLES_PER_CORNER = 24
GATES = 12  # gates of a lap, evenly spaced; gate 0 is at the beginning of the course
GATE = (0.1, WIDTH)  # length along the road, and breadth [m]; a fast car drives 0.15 m in a step
_BLOCK = 64  # points located at once, so that the temporary arrays stay in the cache


class Course:
    """A closed chain of straight pieces, the centre line, and the road around it.

    A place on the course is a distance along the centre line and an offset to its left [m].

    Attributes:
        points: (n, 2) where the pieces begin [m].
        length: Length of a lap [m].
        road: The surface of the road.
    """

    def __init__(self) -> None:
        self.points = _closed_spline(_CORNERS, _SAMPLES_PER_CORNER)
        pieces = np.roll(self.points, -1, axis=0) - self.points
        self._lengths = np.linalg.norm(pieces, axis=1)
        self._directions = pieces / self._lengths[:, None]
        self._dx, self._dy = np.ascontiguousarray(self._directions.T)
        self._lefts = np.stack([-self._dy, self._dx], axis=1)
        self._headings: Floats = np.arctan2(self._dy, self._dx)
        self._starts = np.concatenate([[0.0], np.cumsum(self._lengths)[:-1]])
        self.length = float(self._lengths.sum())
        self.road = GeometryCollider(LinearRing(self.points).buffer(WIDTH / 2))

    def point(self, distance: Floats | float, offset: Floats | float = 0.0) -> Floats:
        """Returns the points (..., 2) of places."""
        return self._point(*self._piece_at(distance), offset)

    def heading(self, distance: Floats | float) -> Floats:
        """Returns the directions of travel (...) [rad]."""
        return self._headings.take(self._piece_at(distance)[0])

    def pose(
        self, distance: Floats | float, offset: Floats | float = 0.0, turn: Floats | float = 0.0
    ) -> Floats:
        """Returns poses (..., 7) on the ground, headed along the road.

        Args:
            distance: (...) along the centre line [m].
            offset: (...) to its left [m].
            turn: (...) angle from the direction of travel to the left [rad].
        """
        piece, rest = self._piece_at(distance)
        half = 0.5 * (self._headings.take(piece) + turn)
        poses = np.zeros((*half.shape, 7))
        poses[..., :2] = self._point(piece, rest, offset)
        poses[..., 5] = np.sin(half)
        poses[..., 6] = np.cos(half)
        return poses

    def locate(self, points: Floats) -> tuple[Floats, Floats]:
        """Returns the nearest places of points (..., 2): distances and offsets (...)."""
        rows = points.reshape(-1, 2)
        distance, offset = np.empty(len(rows)), np.empty(len(rows))
        for start in range(0, len(rows), _BLOCK):
            block = slice(start, start + _BLOCK)
            x = rows[block, :1] - self.points[:, 0]
            y = rows[block, 1:] - self.points[:, 1]
            along = (x * self._dx + y * self._dy).clip(0.0, self._lengths)
            gap_x, gap_y = x - along * self._dx, y - along * self._dy
            nearest = (gap_x * gap_x + gap_y * gap_y).argmin(axis=1)
            at = np.arange(len(nearest)), nearest
            distance[block] = self._starts[nearest] + along[at]
            offset[block] = self._dx[nearest] * y[at] - self._dy[nearest] * x[at]
        return distance.reshape(points.shape[:-1]), offset.reshape(points.shape[:-1])

    def ahead(self, gap: Floats) -> Floats:
        """Returns differences of distances (...) as the shorter way around, negative backwards."""
        return gap - self.length * np.rint(gap / self.length)

    def _piece_at(self, distance: Floats | float) -> tuple[Numbers, Floats]:
        """Returns the numbers of the pieces at distances, and the rest along these [m]."""
        wrapped = np.remainder(distance, self.length)
        piece = self._starts.searchsorted(wrapped, side="right") - 1
        return piece, wrapped - self._starts.take(piece)

    def _point(self, piece: Numbers, rest: Floats, offset: Floats | float) -> Floats:
        along = rest[..., None] * self._directions.take(piece, axis=0)
        left = np.asarray(offset)[..., None] * self._lefts.take(piece, axis=0)
        return np.asarray(self.points.take(piece, axis=0) + along + left)


class Laps:
    """The lap of each car.

    Metres count up to the next gate that the car has not touched, so that a short cut earns
    nothing. Gates are numbered on and on: gate 12 is gate 0 in the second lap.
    """

    def __init__(self, course: Course, shape: tuple[int, int]) -> None:
        self.course = course
        self.spacing = course.length / GATES  # [m]
        self.gates = course.pose(self.spacing * np.arange(GATES, dtype=np.float64))
        self.start, self.travelled = np.zeros(shape), np.zeros(shape)  # (W, cars) [m]
        self.first, self.passed = np.zeros(shape, np.intp), np.zeros(shape, np.intp)  # gates

    @property
    def complete(self) -> Bools:
        """(W, cars) whether the car is back where it began, by way of all gates."""
        return self.travelled >= self.course.length

    def next_gates(self) -> Floats:
        """Returns the pose of the next gate of each car, (W, cars, 7)."""
        return self.gates.take((self.first + self.passed) % GATES, axis=0)

    def begin(self, worlds: Numbers, start: Floats) -> None:
        """Begins laps in some worlds, at distances (w, cars) along the course [m]."""
        self.start[worlds] = start
        self.first[worlds] = np.floor(start / self.spacing) + 1
        self.travelled[worlds] = self.passed[worlds] = 0

    def advance(self, distance: Floats, touched: Bools, live: Bools) -> Floats:
        """Returns the metres (W, cars) that count of a step, negative backwards.

        Args:
            distance: (W, cars) where the cars are along the course [m].
            touched: (W, cars) whether they touch their next gate.
            live: (W, cars) the cars that are driving.
        """
        before, remaining = self.travelled, self.passed < GATES
        travelled = before + self.course.ahead(distance - self.start - before)
        limit = (self.first + self.passed) * self.spacing - self.start
        limited = np.minimum(travelled, limit)
        travelled = np.where(remaining & ~touched, limited, travelled)
        self.passed += remaining & touched & live
        self.travelled = np.where(live, travelled, before)
        return travelled - before


def _closed_spline(corners: Floats, samples: int) -> Floats:
    """Returns points on the closed Catmull-Rom curve through corners, (n * samples, 2)."""
    t = np.arange(samples)[:, None] / samples
    basis = np.hstack(
        [-t + 2 * t**2 - t**3, 2 - 5 * t**2 + 3 * t**3, t + 4 * t**2 - 3 * t**3, -(t**2) + t**3]
    )
    around = [np.roll(corners, shift, axis=0) for shift in (1, 0, -1, -2)]
    return np.concatenate([basis @ np.stack(piece) for piece in zip(*around, strict=True)]) / 2
