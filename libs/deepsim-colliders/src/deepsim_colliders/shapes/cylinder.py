# SPDX-License-Identifier: Apache-2.0
"""Cylinders."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_colliders._crossings import (
    Crossing,
    Rows,
    cross_ball,
    cross_balls,
    cross_box,
    cross_slab,
)
from deepsim_colliders._frames import Triple
from deepsim_colliders.convex_collider import Level

from ._round import RoundCollider

_ROUND = [(math.cos(k * math.pi / 4), math.sin(k * math.pi / 4)) for k in range(8)]


class CylinderCollider(RoundCollider):
    """Solid cylinder along z, centred on its frame.

    >>> pillar = CylinderCollider(radius=0.5, length=2.0)
    >>> pillar.contains((0.3, 0.4, 1.0)), pillar.contains((0.4, 0.4, 1.0))
    (True, False)

    Args:
        radius: radius [m], > 0.
        length: length from end to end [m], > 0.
    """

    def support_point(self, direction: Triple) -> Triple:
        """Returns the farthest point of the rim along a direction of the frame."""
        x, y, z = direction
        aside = math.hypot(x, y)
        part = self._radius / aside if aside > 0.0 else 0.0
        return part * x, part * y, math.copysign(self._half, z)

    @property
    def _size(self) -> float:
        return math.hypot(self._half, self._radius)

    def _gap_to(self, point: Triple) -> tuple[float, Triple]:
        x, y, z = point
        aside = math.hypot(x, y)
        out, up = max(aside - self._radius, 0.0), max(abs(z) - self._half, 0.0)
        distance = math.hypot(out, up)
        if distance == 0.0:
            return 0.0, (0.0, 0.0, 0.0)
        part = out / (distance * aside) if out else 0.0
        return distance, (part * x, part * y, math.copysign(up / distance, z))

    def _holds(self, point: Triple) -> bool:
        return self._gap_to(point)[0] <= self._gap

    def _hold(self, points: Any) -> NDArray[np.bool_]:
        x, y, z = points
        out = np.maximum(np.hypot(x, y) - self._radius, 0.0)
        held: NDArray[np.bool_] = (
            np.hypot(out, np.maximum(np.abs(z) - self._half, 0.0)) <= self._gap
        )
        return held

    def _levels(self) -> list[Level]:
        def side(point: Triple) -> tuple[float, Triple]:
            return math.hypot(*point[:2]) - self._radius, (point[0], point[1], 0.0)

        def end(point: Triple) -> tuple[float, Triple]:
            return abs(point[2]) - self._half, (0.0, 0.0, math.copysign(1.0, point[2]))

        return [side, end]

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

    def _cross_many(self, origins: Rows, directions: Rows) -> tuple[Rows, Rows]:
        enter, leave = cross_balls(origins[:, :2], directions[:, :2], self._radius)
        bottom, top = cross_slab(origins[:, 2], directions[:, 2], self._half)
        starts, ends = np.maximum(enter, bottom), np.minimum(leave, top)
        starts[~(starts <= ends)] = np.nan
        normals = np.zeros(origins.shape)
        with np.errstate(invalid="ignore"):
            normals[:, :2] = (origins + starts[:, np.newaxis] * directions)[:, :2] / self._radius
        lids = ~(enter >= bottom)
        normals[lids] = 0.0
        normals[lids, 2] = -np.sign(directions[lids, 2])
        return starts, normals

    def _face_here(self, direction: Triple) -> tuple[Triple, list[Triple]] | None:
        up = math.copysign(1.0, direction[2])
        if abs(direction[2]) > 0.7:
            return (0.0, 0.0, up), [
                (self._radius * c, self._radius * s, up * self._half) for c, s in _ROUND
            ]
        return None

    def _low_points(self, direction: Triple) -> list[Triple]:
        face = self._face_here(direction)
        if face and abs(direction[2]) > 1.0 - 1e-9:
            return face[1]
        x, y, _ = self.support_point(direction)
        return [(x, y, self._half), (x, y, -self._half)]
