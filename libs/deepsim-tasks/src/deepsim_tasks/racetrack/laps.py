# SPDX-License-Identifier: Apache-2.0
"""Laps: progress along the course, from gate to gate."""

from __future__ import annotations

import numpy as np

from .course import WIDTH, Bools, Course, Floats, Numbers

COUNT = 12  # gates of a lap, evenly spaced; gate 0 is at the beginning of the course
GATE = (0.1, WIDTH)  # length along the road, and breadth [m]; a fast car drives 0.15 m in a step


class Laps:
    """The lap of each car.

    Metres count up to the next gate that the car has not touched, so that a short cut earns
    nothing. Gates are numbered on and on: gate 12 is gate 0 in the second lap.
    """

    def __init__(self, course: Course, shape: tuple[int, int]) -> None:
        self.course = course
        self.spacing = course.length / COUNT  # [m]
        self.gates = course.pose(self.spacing * np.arange(COUNT, dtype=np.float64))
        self.start, self.travelled = np.zeros(shape), np.zeros(shape)  # (W, cars) [m]
        self.first, self.passed = np.zeros(shape, np.intp), np.zeros(shape, np.intp)  # gates

    @property
    def complete(self) -> Bools:
        """(W, cars) whether the car is back where it began, by way of all gates."""
        return self.travelled >= self.course.length

    def next_gates(self) -> Floats:
        """Returns the pose of the next gate of each car, (W, cars, 7)."""
        return self.gates.take((self.first + self.passed) % COUNT, axis=0)

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
        before, remaining = self.travelled, self.passed < COUNT
        travelled = before + self.course.ahead(distance - self.start - before)
        limit = (self.first + self.passed) * self.spacing - self.start
        limited = np.minimum(travelled, limit)
        travelled = np.where(remaining & ~touched, limited, travelled)
        self.passed += remaining & touched & live
        self.travelled = np.where(live, travelled, before)
        return travelled - before
