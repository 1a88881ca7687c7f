# SPDX-License-Identifier: Apache-2.0
"""Boxes."""

from __future__ import annotations

import itertools
import math
from typing import Any, SupportsFloat

from deepsim_colliders._follower import ORIGIN
from deepsim_colliders._frames import Triple
from deepsim_colliders._measures import positive
from deepsim_colliders.collider_3d import Collider3D
from deepsim_math import Pose

from ._cuboid import CuboidCollider


class BoxCollider(CuboidCollider, Collider3D):
    """Solid box about the origin of its frame, turned as its frame is.

    Args:
        length: along its x axis [m], > 0.
        width: along its y axis [m], > 0.
        height: along its z axis [m], > 0.
        pose_offset: see `Collider`.
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

    def __repr__(self) -> str:
        sizes = f"length={self.length}, width={self.width}, height={self.height}"
        return f"{type(self).__name__}({sizes})"

    def _core(self) -> list[Triple]:
        """Corners, in the world."""
        corners = itertools.product(*((-half, half) for half in self._half))
        return [self._frame.to_world((x, y, z)) for x, y, z in corners]

    def _intersects(self, other: Any) -> Any:
        if not isinstance(other, BoxCollider):
            return NotImplemented
        return self._faces_overlap(other) and self._edges_overlap(other)

    def _edges_overlap(self, other: BoxCollider) -> bool:
        """Whether no plane along one edge of each separates them (Gottschalk et al. 1996)."""
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
                    continue  # parallel edges: the faces have answered
                mine = a[i1] * abs(edge[i2]) + a[i2] * abs(edge[i1])
                theirs = b1 * abs(j2[i]) + b2 * abs(j1[i])
                apart = abs(gap[i2] * edge[i1] - gap[i1] * edge[i2])
                if not apart <= mine + theirs + touch * length:
                    return False
        return True
