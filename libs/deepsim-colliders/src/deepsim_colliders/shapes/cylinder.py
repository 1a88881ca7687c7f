# SPDX-License-Identifier: Apache-2.0
"""Cylinders."""

from __future__ import annotations

import math
from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import NDArray

from deepsim_colliders._borders import positive
from deepsim_colliders._crossings import Crossing, cross_ball, cross_balls, cross_box, cross_boxes
from deepsim_colliders._frames import Triple
from deepsim_colliders._shape import Array
from deepsim_colliders.collider import ORIGIN
from deepsim_colliders.collider_3d import Collider3D
from deepsim_math import Pose


class CylinderCollider(Collider3D):
    """Solid cylinder along z, centred on its frame.

    >>> pillar = CylinderCollider(radius=0.5, length=2.0)
    >>> pillar.contains((0.3, 0.4, 1.0)), pillar.contains((0.4, 0.4, 1.0))
    (True, False)

    Args:
        radius: radius [m], > 0.
        length: length from end to end [m], > 0.
    """

    def __init__(
        self, radius: SupportsFloat, length: SupportsFloat, *, pose_offset: Pose = ORIGIN
    ) -> None:
        super().__init__(pose_offset)
        self._radius = positive(radius, "radius")
        self._half = 0.5 * positive(length, "length")

    @property
    def radius(self) -> float:
        """Radius [m]."""
        return self._radius

    @property
    def length(self) -> float:
        """Length along z [m] from end to end."""
        return 2.0 * self._half

    def _sizes(self) -> str:
        return f"radius={self._radius}, length={self.length}"

    def support_point(self, direction: Triple) -> Triple:
        """Returns the farthest point of the rim along a direction of the frame."""
        x, y, z = direction
        aside = math.hypot(x, y)
        part = self._radius / aside if aside > 0.0 else 0.0
        return part * x, part * y, math.copysign(self._half, z)

    def _measure_core(self) -> tuple[float, float]:
        size = math.hypot(self._half, self._radius)
        return size, size

    def _gap_to_core(self, point: Triple) -> tuple[float, Triple]:
        x, y, z = point
        aside = math.hypot(x, y)
        out, up = max(aside - self._radius, 0.0), max(abs(z) - self._half, 0.0)
        distance = math.hypot(out, up)
        if distance == 0.0:
            return 0.0, (0.0, 0.0, 0.0)
        part = out / (distance * aside) if out else 0.0
        return distance, (part * x, part * y, math.copysign(up / distance, z))

    def _gaps(self, points: Array) -> tuple[Array, Array]:
        x, y, z = points.T
        aside = np.hypot(x, y)
        out, up = np.maximum(aside - self._radius, 0.0), np.maximum(np.abs(z) - self._half, 0.0)
        distance = np.hypot(out, up)
        with np.errstate(divide="ignore", invalid="ignore"):
            part = np.where(out > 0.0, out / (distance * aside), 0.0)
            away = np.stack([part * x, part * y, np.copysign(up / distance, z)], axis=1)
        away[distance == 0.0] = 0.0
        return distance, away

    def _hold(self, points: Any) -> NDArray[np.bool_]:
        held: NDArray[np.bool_] = self._gaps(np.asarray(points).T)[0] <= self._gap
        return held

    def _cross(self, origin: Triple, direction: Triple) -> Crossing | None:
        wall = cross_ball(origin[:2], direction[:2], self._radius)
        slab = cross_box(origin[2:], direction[2:], (self._half,))
        if not wall or not slab or wall.normal is None or slab.normal is None:
            return None
        start, end = max(wall.start, slab.start), min(wall.end, slab.end)
        if not start <= end:
            return None
        if wall.start >= slab.start:
            return Crossing(start, end, (*wall.normal, 0.0))
        return Crossing(start, end, (0.0, 0.0, *slab.normal))

    def _cross_many(self, origins: Array, directions: Array) -> tuple[Array, Array]:
        columns, steps = origins.T, directions.T
        enter, leave = cross_balls(columns[:2], steps[:2], self._radius)
        bottom, top = cross_boxes(columns[2:], steps[2:], (self._half,))
        starts, ends = np.maximum(enter, bottom), np.minimum(leave, top)
        starts[~(starts <= ends)] = np.nan
        normals = np.zeros(origins.shape)
        with np.errstate(invalid="ignore"):
            normals[:, :2] = (origins + starts[:, np.newaxis] * directions)[:, :2] / self._radius
        lids = ~(enter >= bottom)
        normals[lids] = 0.0
        normals[lids, 2] = -np.sign(directions[lids, 2])
        return starts, normals
