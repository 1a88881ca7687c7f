# SPDX-License-Identifier: Apache-2.0
"""Ellipsoids."""

from __future__ import annotations

import math
from typing import Any, Iterable, SupportsFloat

import numpy as np
from numpy.typing import NDArray

from deepsim_colliders._borders import positive
from deepsim_colliders._crossings import Crossing, Rows, cross_ball, cross_balls
from deepsim_colliders._follower import ORIGIN
from deepsim_colliders._frames import Triple
from deepsim_colliders.convex.vectors import minus, scaled, unit
from deepsim_colliders.convex_collider import ConvexCollider, Level
from deepsim_math import Pose


class EllipsoidCollider(ConvexCollider):
    """Solid ellipsoid centred on its frame, with its axes along the frame's axes.

    >>> egg = EllipsoidCollider((1.0, 1.0, 2.0))
    >>> egg.contains((0, 0, 1.9)), egg.contains((1, 0, 1))
    (True, False)

    Args:
        radii: half lengths along x, y and z [m], each > 0.
    """

    def __init__(self, radii: Iterable[SupportsFloat], *, pose_offset: Pose = ORIGIN) -> None:
        super().__init__(pose_offset)
        given = tuple(radii)
        if len(given) != 3:
            raise ValueError(f"an ellipsoid needs 3 radii, got {given!r}")
        x, y, z = (positive(radius, "radius") for radius in given)
        self._radii: Triple = (x, y, z)

    @property
    def radii(self) -> Triple:
        """Half lengths along x, y and z [m]."""
        return self._radii

    def _sizes(self) -> str:
        return f"radii={self._radii}"

    def support_point(self, direction: Triple) -> Triple:
        """Returns the farthest point of the surface along a direction of the frame."""
        a, b, c = self._radii
        x, y, z = unit(direction)
        length = math.hypot(a * x, b * y, c * z)
        return a * a * x / length, b * b * y / length, c * c * z / length

    @property
    def _size(self) -> float:
        return max(self._radii)

    def _shrunk(self, vector: Triple) -> Triple:
        """Returns a vector in coordinates in which the ellipsoid is the unit ball."""
        x, y, z = (v / radius for v, radius in zip(vector, self._radii))
        return x, y, z

    def _gap_to(self, point: Triple) -> tuple[float, Triple]:
        if math.hypot(*self._shrunk(point)) <= 1.0:
            return 0.0, (0.0, 0.0, 0.0)
        away = minus(point, self._foot(point))
        distance = math.hypot(*away)
        return distance, scaled(away, 1.0 / distance) if distance > 0.0 else away

    def _foot(self, point: Triple) -> Triple:
        """Returns the point of the ellipsoid nearest to an outer one (Eberly 2013, by bisection).

        Its coordinates are r^2 p / (t + r^2), with the t that puts it on the surface.
        """
        squares = [radius * radius for radius in self._radii]

        def reach(t: float) -> float:
            return math.hypot(*(r * p / (t + s) for r, p, s in zip(self._radii, point, squares)))

        low, high = 0.0, math.hypot(*(r * p for r, p in zip(self._radii, point)))
        while True:
            t = 0.5 * (low + high)
            if t in (low, high):
                x, y, z = (s * p / (t + s) for s, p in zip(squares, point))
                return x, y, z
            low, high = (t, high) if reach(t) > 1.0 else (low, t)

    def _levels(self) -> list[Level]:
        least = min(self._radii)

        def level(point: Triple) -> tuple[float, Triple]:
            shrunk = self._shrunk(point)
            return (math.hypot(*shrunk) - 1.0) * least, self._shrunk(shrunk)

        return [level]

    def _cross_many(self, origins: Rows, directions: Rows) -> tuple[Rows, Rows]:
        radii = np.array(self._radii)
        starts = cross_balls(origins / radii, directions / radii, 1.0)[0]
        with np.errstate(invalid="ignore"):
            normals = (origins + starts[:, np.newaxis] * directions) / (radii * radii)
            normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        return starts, normals

    def _hold(self, points: Any) -> NDArray[np.bool_]:
        shrunk = np.asarray(points, dtype=np.float64).T / np.array(self._radii)
        held: NDArray[np.bool_] = np.linalg.norm(shrunk, axis=1) <= 1.0
        # Points just outside may still touch.
        grown = np.linalg.norm(shrunk, axis=1) <= 1.0 + 4.0 * self._gap / min(self._radii)
        for k in np.flatnonzero(grown & ~held):
            held[k] = self._holds(tuple(float(column[k]) for column in points))
        return held

    def _cross(self, origin: Triple, direction: Triple) -> Crossing | None:
        crossing = cross_ball(self._shrunk(origin), self._shrunk(direction), 1.0)
        if crossing is None or crossing.normal is None:
            return None
        x, y, z = crossing.normal
        return crossing._replace(normal=unit(self._shrunk((x, y, z))))
