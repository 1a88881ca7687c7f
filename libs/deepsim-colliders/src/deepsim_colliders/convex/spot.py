# SPDX-License-Identifier: Apache-2.0
"""A point as a convex shape."""

from __future__ import annotations

from typing import Any

from .vectors import Vec


class Spot:
    """A point of the world, with all that the distance of convex shapes asks for."""

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
