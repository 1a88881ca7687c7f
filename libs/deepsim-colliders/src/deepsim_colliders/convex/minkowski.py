# SPDX-License-Identifier: Apache-2.0
"""The Minkowski difference of two convex shapes, defined by its support points."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from .vectors import Vec, minus


class Body(Protocol):
    """A convex shape in the world."""

    def _far_point(self, direction: Vec) -> Vec:
        """Returns the farthest point of the core along a direction of any length > 0."""


class Witness(NamedTuple):
    """A point p - q of the difference (`gap`), with its two points p (`first`) and q (`second`)."""

    gap: Vec
    first: Vec
    second: Vec


class Pairing:
    """Two bodies and their Minkowski difference {p - q}, which contains 0 if they meet."""

    def __init__(self, first: Body, second: Body) -> None:
        self._first, self._second = first, second

    def far(self, direction: Vec) -> Witness:
        """Returns the farthest point of the difference along a direction."""
        p = self._first._far_point(direction)
        q = self._second._far_point((-direction[0], -direction[1], -direction[2]))
        return Witness(minus(p, q), p, q)
