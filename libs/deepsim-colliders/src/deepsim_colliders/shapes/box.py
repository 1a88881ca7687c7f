# SPDX-License-Identifier: Apache-2.0
"""Boxes."""

from __future__ import annotations

import itertools
import math
from typing import Any, SupportsFloat

from deepsim_colliders._borders import positive
from deepsim_colliders._follower import ORIGIN
from deepsim_colliders._frames import Triple
from deepsim_colliders.convex_collider import ConvexCollider
from deepsim_math import Pose

from ._cuboid import CuboidCollider


class BoxCollider(CuboidCollider, ConvexCollider):
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
        lengths = positive(length, "length"), positive(width, "width"), positive(height, "height")
        super().__init__(lengths, pose_offset)

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

    def _face_here(self, direction: Triple) -> tuple[Triple, list[Triple]]:
        axis = max(range(3), key=lambda k: abs(direction[k]))
        sides = ((1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0))
        level = math.copysign(self._half[axis], direction[axis])
        corners, others = [], [k for k in range(3) if k != axis]
        for side in sides:
            corner = [level] * 3
            for k, sign in zip(others, side):
                corner[k] = sign * self._half[k]
            corners.append((corner[0], corner[1], corner[2]))
        normal = [0.0, 0.0, 0.0]
        normal[axis] = math.copysign(1.0, level)
        return (normal[0], normal[1], normal[2]), corners

    def _intersects(self, other: Any) -> Any:
        if not isinstance(other, BoxCollider):
            return NotImplemented
        return self._faces_overlap(other) and self._edges_overlap(other)

    def _edges_overlap(self, other: BoxCollider) -> bool:
        """Returns whether no plane along two edges separates the boxes (Gottschalk et al. 1996)."""
        frame, others = self._frame, other._frame
        touch = self._touch(other)
        a, b = self._half, other._half
        gap = frame.to_local(others.origin)
        columns = [frame.turn_to_local(axis) for axis in others.axes]
        for j, edge in enumerate(columns):
            j1, j2 = columns[j - 2], columns[j - 1]
            b1, b2 = b[j - 2], b[j - 1]
            for i in range(3):
                i1, i2 = i - 2, i - 1  # the other two axes, cyclically
                length = math.hypot(edge[i1], edge[i2])  # of the normal: this edge x that edge
                if length < 1e-6:
                    continue  # parallel edges: decided by the faces
                mine = a[i1] * abs(edge[i2]) + a[i2] * abs(edge[i1])
                theirs = b1 * abs(j2[i]) + b2 * abs(j1[i])
                apart = abs(gap[i2] * edge[i1] - gap[i1] * edge[i2])
                if not apart <= mine + theirs + touch * length:
                    return False
        return True
