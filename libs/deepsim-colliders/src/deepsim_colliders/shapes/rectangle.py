# SPDX-License-Identifier: Apache-2.0
"""Rectangles."""

from __future__ import annotations

from typing import Any, SupportsFloat

import shapely

from deepsim_colliders._borders import positive
from deepsim_colliders._follower import ORIGIN
from deepsim_colliders._frames import Pair
from deepsim_colliders.collider_2d import Collider2D
from deepsim_math import Pose

from ._cuboid import CuboidCollider


class RectangleCollider(CuboidCollider, Collider2D):
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
        super().__init__((positive(length, "length"), positive(width, "width")), pose_offset)

    @property
    def length(self) -> float:
        """Length along x [m]."""
        return 2.0 * self._half[0]

    @property
    def width(self) -> float:
        """Width along y [m]."""
        return 2.0 * self._half[1]

    def _sizes(self) -> str:
        return f"length={self.length}, width={self.width}"

    def _corners(self) -> tuple[Pair, Pair, Pair, Pair]:
        """Returns the corners in the world frame, counter-clockwise."""
        x, y = self._half
        to_world = self._frame.to_world
        return to_world((x, y)), to_world((-x, y)), to_world((-x, -y)), to_world((x, -y))

    def _flat(self) -> tuple[shapely.Geometry, float]:
        return shapely.Polygon(self._corners()), 0.0

    def _intersects(self, other: Any) -> Any:
        if isinstance(other, RectangleCollider):
            return self._faces_overlap(other)
        return NotImplemented
