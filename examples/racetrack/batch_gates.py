# SPDX-License-Identifier: Apache-2.0
"""The gates for the cars of many worlds: what `Car._progress` asks of `gates.py`, on arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .car import BREADTH, LENGTH
from .centreline import WIDTH, Centreline
from .elementwise import Bools, Floats, each, headings
from .gates import COUNT, DEPTH, Gates
from .rectangles import meet


class BatchGates:
    """How many gates each car has touched, and how far its metres count.

    Args:
        course: The road that they stand across.
        cars: Shape of what is given by car, (W, cars).

    Attributes:
        first: Number of the first gate of each car, (W, cars).
        passed: How many gates it has touched, (W, cars).
    """

    def __init__(self, course: Centreline, cars: tuple[int, int]) -> None:
        self._gates = Gates(course)
        poses = np.array([[*self._gates.collider(number).pose] for number in range(COUNT)])
        self._middle, self._heading = poses[:, :2], headings(poses)
        self.first = np.zeros(cars, dtype=np.int64)
        self.passed = np.zeros(cars, dtype=np.int64)

    def reset(self, chosen: NDArray[np.intp], start: Floats) -> None:
        """Closes all gates of some worlds.

        Args:
            chosen: The worlds.
            start: Where each car starts along the course [m], (W, cars).
        """
        self.first[chosen] = each(self._gates.after, start[chosen])
        self.passed[chosen] = 0

    def limit(self, travelled: Floats, start: Floats, pose: Floats, live: Bools) -> Floats:
        """Opens the next gate of cars that touch it, and has metres count up to the next closed.

        Args:
            travelled: How far each car got since its start [m], (W, cars).
            start: Where it started along the course [m].
            pose: Where it is, (W, cars, 7).
            live: The cars that are driving.

        Returns:
            What counts of `travelled`.
        """
        gate = self.first + self.passed
        standing = gate % COUNT
        touched = meet(
            self._middle[standing],
            self._heading[standing],
            (DEPTH, WIDTH),
            pose[..., :2],
            headings(pose),
            (LENGTH, BREADTH),
        )
        closed = self.passed < COUNT
        counted = np.minimum(travelled, each(self._gates.distance, gate) - start)
        self.passed += closed & touched & live
        return np.where(closed & ~touched, counted, travelled)
