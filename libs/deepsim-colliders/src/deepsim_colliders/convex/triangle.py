# SPDX-License-Identifier: Apache-2.0
"""Points and triangles as convex shapes."""

from __future__ import annotations

import math
from typing import Any, Sequence

from .distance import nearest
from .minkowski import Pairing
from .vectors import Vec, cross, dot, minus, mixed, scaled, unit


class Spot:
    """A point in the world frame, with the interface of convex pieces."""

    _is_plane = False
    _is_point = True
    _rounding = 0.0
    _size = 0.0

    def __init__(self, point: Vec) -> None:
        self._point = point

    def _far_point(self, direction: Vec) -> Vec:
        return self._point

    def _pieces(self, other: Any) -> tuple[Spot]:
        return (self,)

    def _encloses(self, other: Any) -> bool:
        return False

    def _ball(self) -> tuple[Vec, float]:
        return self._point, 0.0


class Triangle:
    """A triangle in the world frame, with the interface of convex pieces."""

    _is_plane = False
    _is_point = False
    _rounding = 0.0

    def __init__(self, corners: Sequence[Sequence[float]]) -> None:
        a, b, c = ((x, y, z) for x, y, z in corners)
        self._corners: tuple[Vec, Vec, Vec] = (a, b, c)
        self._middle = mixed((1 / 3, 1 / 3, 1 / 3), self._corners)
        self._size = max(math.dist(self._middle, corner) for corner in self._corners)

    def _far_point(self, direction: Vec) -> Vec:
        return max(self._corners, key=lambda corner: dot(corner, direction))

    def _ball(self) -> tuple[Vec, float]:
        return self._middle, self._size

    def _toward(self, point: Vec) -> tuple[float, Vec]:
        """Returns the distance to a point, and the direction to it."""
        gap = nearest(Pairing(Spot(point), self), self._size + math.dist(point, self._middle)).gap
        distance = math.hypot(*gap)
        return distance, scaled(gap, 1.0 / distance) if distance > 0.0 else gap

    def _face_there(self, direction: Vec) -> tuple[Vec, list[Vec]]:
        """Returns the normal and corners of the side that faces a direction."""
        a, b, c = self._corners
        normal = unit(cross(minus(b, a), minus(c, a)))
        if dot(normal, direction) >= 0.0:
            return normal, [a, b, c]
        return scaled(normal, -1.0), [a, c, b]
