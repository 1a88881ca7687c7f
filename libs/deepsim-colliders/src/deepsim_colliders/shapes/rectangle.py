# SPDX-License-Identifier: Apache-2.0
"""Rectangles."""

from __future__ import annotations

from typing import SupportsFloat

import shapely

from deepsim_colliders._borders import positive
from deepsim_colliders._crossings import Crossing, cross_box
from deepsim_colliders._frames import Pair
from deepsim_colliders._shape import BOX, Solid
from deepsim_colliders.collider import ORIGIN
from deepsim_colliders.collider_2d import Collider2D
from deepsim_math import Pose


class RectangleCollider(Collider2D):
    """Rectangle centred on its frame.

    >>> car = RectangleCollider(length=4.0, width=2.0, pose_offset=Pose((1.0, 0, 0)))
    >>> car.contains((2.9, 0.9)), car.contains((-1.1, 0))
    (True, False)

    Args:
        length: along its x axis [m], > 0.
        width: along its y axis [m], > 0.
    """

    def __init__(
        self, length: SupportsFloat, width: SupportsFloat, *, pose_offset: Pose = ORIGIN
    ) -> None:
        super().__init__(pose_offset)
        self._half = 0.5 * positive(length, "length"), 0.5 * positive(width, "width")
        self._numbers = Solid(BOX, self._half, 0.0)

    @property
    def length(self) -> float:
        """Length along x [m]."""
        return 2.0 * self._half[0]

    @property
    def width(self) -> float:
        """Width along y [m]."""
        return 2.0 * self._half[1]

    def core(self) -> shapely.Geometry:
        """Returns the rectangle."""
        x, y = self._half
        return shapely.Polygon([(x, y), (-x, y), (-x, -y), (x, -y)])

    def _sizes(self) -> str:
        return f"length={self.length}, width={self.width}"

    def _cross(self, origin: Pair, direction: Pair) -> Crossing | None:
        return cross_box(origin, direction, self._half)
