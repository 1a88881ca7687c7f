# SPDX-License-Identifier: Apache-2.0
"""The course: a closed chain of waypoints on the ground, and where something is along it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from shapely import LinearRing

from deepsim_colliders import GeometryCollider

WIDTH = 1.8
"""Width of the road [m]."""

_CORNERS = np.array(
    [
        (-4.8, -3.8),
        (-0.4, -4.2),
        (4.2, -3.6),
        (5.9, -1.5),
        (5.6, 2.2),
        (4.7, 3.6),
        (3.0, 3.8),
        (0.0, 2.4),
        (-3.9, 3.7),
        (-6.7, 1.7),
    ]
)  # [m], the curve goes through them, anticlockwise; no bend is tighter than 1.3 m
_SAMPLES_PER_CORNER = 24
_BLOCK = 64  # points that are located at once, so that what they need stays in the cache


class Place(NamedTuple):
    """Where a point is on the course."""

    distance: float
    """Along the centre line, 0 .. length [m]."""
    offset: float
    """To the left of the centre line [m]."""


class Centreline:
    """The middle of the road.

    Attributes:
        points: (n, 2) waypoints in the ground plane [m], joined by straight pieces.
        length: Once around [m].
        road: The road's surface.
    """

    def __init__(self) -> None:
        self.points = _closed_spline(_CORNERS, _SAMPLES_PER_CORNER)
        self._pieces = np.roll(self.points, -1, axis=0) - self.points
        lengths = np.linalg.norm(self._pieces, axis=1)
        self._directions = self._pieces / lengths[:, None]
        self._lengths = lengths
        self._starts = np.concatenate([[0.0], np.cumsum(lengths)[:-1]])
        # One by one: of an array, NumPy may compute another last bit.
        self._headings = np.array([np.arctan2(y, x) for x, y in self._directions])
        self.length = float(lengths.sum())
        self.road = GeometryCollider(LinearRing(self.points).buffer(WIDTH / 2))

    def locate(self, point: ArrayLike) -> Place:
        """The place nearest to a point (2,) of the ground plane [m]."""
        gap = np.asarray(point) - self.points
        along = np.clip((gap * self._directions).sum(axis=1), 0.0, self._lengths)
        foot = gap - along[:, None] * self._directions
        nearest = int(np.argmin((foot * foot).sum(axis=1)))
        x, y = self._directions[nearest]
        left = float(-y * gap[nearest, 0] + x * gap[nearest, 1])
        return Place(float(self._starts[nearest] + along[nearest]), left)

    def locate_all(
        self, points: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The distance (n,) and offset (n,) of the places nearest to points (n, 2), as `locate`."""
        distance, offset = np.empty(len(points)), np.empty(len(points))
        dx, dy = self._directions.T
        for start in range(0, len(points), _BLOCK):
            block = slice(start, start + _BLOCK)
            gx = points[block, :1] - self.points[:, 0]
            gy = points[block, 1:] - self.points[:, 1]
            along = np.clip(gx * dx + gy * dy, 0.0, self._lengths)
            nearest = np.argmin((gx - along * dx) ** 2 + (gy - along * dy) ** 2, axis=1)
            row = np.arange(len(nearest))
            x, y = dx[nearest], dy[nearest]
            offset[block] = -y * gx[row, nearest] + x * gy[row, nearest]
            distance[block] = self._starts[nearest] + along[row, nearest]
        return distance, offset

    def point(self, distance: ArrayLike, offset: ArrayLike = 0.0) -> NDArray[np.float64]:
        """Points (..., 2) at distances along the line, shifted to the left [m]."""
        piece, rest = self._piece_at(distance)
        directions = self._directions[piece]
        left = np.stack([-directions[..., 1], directions[..., 0]], axis=-1)
        points: NDArray[np.float64] = (
            self.points[piece] + rest[..., None] * directions + np.asarray(offset)[..., None] * left
        )
        return points

    def heading(self, distance: float) -> float:
        """Direction of travel at a distance along the line [rad]."""
        return float(self._headings[self._piece_at(distance)[0]])

    def headings(self, distance: NDArray[np.float64]) -> NDArray[np.float64]:
        """Directions of travel at distances along the line [rad], as `heading`."""
        return self._headings[self._piece_at(distance)[0]]

    def _piece_at(self, distance: ArrayLike) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        wrapped = np.mod(distance, self.length)
        piece = np.searchsorted(self._starts, wrapped, side="right") - 1
        return piece, wrapped - self._starts[piece]


def _closed_spline(corners: NDArray[np.float64], samples: int) -> NDArray[np.float64]:
    """Points on the closed Catmull-Rom curve through some corners, (n * samples, 2)."""
    t = np.arange(samples)[:, None] / samples
    basis = np.hstack(
        [-t + 2 * t**2 - t**3, 2 - 5 * t**2 + 3 * t**3, t + 4 * t**2 - 3 * t**3, -(t**2) + t**3]
    )
    around = [np.roll(corners, shift, axis=0) for shift in (1, 0, -1, -2)]
    return np.concatenate([basis @ np.stack(piece) for piece in zip(*around, strict=True)]) / 2
