# SPDX-License-Identifier: Apache-2.0
"""The difference of two convex shapes, by its support points."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from .vectors import Vec, dot, minus


class Body(Protocol):
    """A convex shape in the world."""

    def _far_point(self, direction: Vec) -> Vec:
        """Returns the point of the core that is farthest along a direction of any length > 0."""


class Witness(NamedTuple):
    """A point of the difference, and the points of both bodies that it is made of."""

    gap: Vec
    first: Vec
    second: Vec


class Pairing:
    """Two bodies and their Minkowski difference {p - q}, which holds 0 where they meet."""

    def __init__(self, first: Body, second: Body) -> None:
        self._first, self._second = first, second

    def far(self, direction: Vec) -> Witness:
        """Returns the point of the difference that is farthest along a direction."""
        p = self._first._far_point(direction)
        q = self._second._far_point((-direction[0], -direction[1], -direction[2]))
        return Witness(minus(p, q), p, q)

    def extent(self) -> float:
        """Returns the rough size of the difference [m], for tolerances."""
        size = 0.0
        for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
            back = (-axis[0], -axis[1], -axis[2])
            size = max(size, dot(self.far(axis).gap, axis) + dot(self.far(back).gap, back))
        return size
