# SPDX-License-Identifier: Apache-2.0
"""A triangle as a convex shape."""

from __future__ import annotations

import math
from typing import Sequence

from .distance import nearest
from .minkowski import Pairing
from .spot import Spot
from .vectors import Vec, cross, dot, minus, mixed, scaled, unit


class Triangle:
    """Three corners in the world, with all that the distance of convex shapes asks for."""

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
        """Returns the distance of a point of the world, and the direction to it."""
        gap = nearest(Pairing(Spot(point), self), self._size + math.dist(point, self._middle)).gap
        distance = math.hypot(*gap)
        return distance, scaled(gap, 1.0 / distance) if distance > 0.0 else gap

    def _face_there(self, direction: Vec) -> tuple[Vec, list[Vec]]:
        """Returns the normal and corners of the side that is towards a direction."""
        a, b, c = self._corners
        normal = unit(cross(minus(b, a), minus(c, a)))
        if dot(normal, direction) >= 0.0:
            return normal, [a, b, c]
        return scaled(normal, -1.0), [a, c, b]
