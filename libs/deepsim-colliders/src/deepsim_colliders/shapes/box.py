# SPDX-License-Identifier: Apache-2.0
"""Boxes."""

from __future__ import annotations

import itertools
import math
from typing import Any, SupportsFloat

from deepsim_colliders._borders import positive
from deepsim_colliders._crossings import Crossing, cross_box
from deepsim_colliders._frames import Triple
from deepsim_colliders._gjk import dot, scaled
from deepsim_colliders._shape import BOX, Solid
from deepsim_colliders.collider import ORIGIN
from deepsim_colliders.collider_3d import Collider3D
from deepsim_math import Pose


class BoxCollider(Collider3D):
    """Solid box centred on its frame.

    >>> from deepsim_math import Ray
    >>> shelf = BoxCollider(length=2.0, width=0.4, height=0.1, pose_offset=Pose((0, 0, 1)))
    >>> shelf.raycast(Ray((0, 0, 3), (0, 0, -1))).distance
    1.95

    Args:
        length: along its x axis [m], > 0.
        width: along its y axis [m], > 0.
        height: along its z axis [m], > 0.
    """

    def __init__(
        self,
        length: SupportsFloat,
        width: SupportsFloat,
        height: SupportsFloat,
        *,
        pose_offset: Pose = ORIGIN,
    ) -> None:
        super().__init__(pose_offset)
        lengths = positive(length, "length"), positive(width, "width"), positive(height, "height")
        self._half: Triple = (0.5 * lengths[0], 0.5 * lengths[1], 0.5 * lengths[2])
        self._numbers = Solid(BOX, self._half, 0.0)

    @property
    def length(self) -> float:
        """Length along x [m]."""
        return 2.0 * self._half[0]

    @property
    def width(self) -> float:
        """Width along y [m]."""
        return 2.0 * self._half[1]

    @property
    def height(self) -> float:
        """Height along z [m]."""
        return 2.0 * self._half[2]

    def _sizes(self) -> str:
        return f"length={self.length}, width={self.width}, height={self.height}"

    def support_point(self, direction: Triple) -> Triple:
        """Returns the farthest corner along a direction of the frame."""
        x, y, z = map(math.copysign, self._half, direction)
        return x, y, z

    def _core_corners(self) -> list[Triple]:
        x, y, z = self._half
        return list(itertools.product((-x, x), (-y, y), (-z, z)))

    def _cross(self, origin: Triple, direction: Triple) -> Crossing | None:
        return cross_box(origin, direction, self._half)

    def _contains(self, other: Any) -> bool:
        frame, touch = self._frame, self._touch(other)
        for axis, half in zip(frame.axes, self._half):
            middle = dot(frame.origin, axis)
            if not other._support(axis) <= middle + half + touch:
                return False
            if not other._support(scaled(axis, -1.0)) <= half - middle + touch:
                return False
        return True
