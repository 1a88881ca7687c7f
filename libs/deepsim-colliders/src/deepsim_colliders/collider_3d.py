# SPDX-License-Identifier: Apache-2.0
"""The base class of 3D colliders."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Iterable

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Point, Pose, Vector3

from ._borders import unmasked
from ._frames import Frame3D, Triple
from ._shape import Shape
from .convex.triangle import Spot
from .convex.vectors import AXES, Vec, scaled
from .proximity import Separation, meetings, separation

Rows = NDArray[np.float64]


class Collider3D(Shape):
    """Base class of the 3D colliders.

    >>> from deepsim_colliders import BoxCollider, SphereCollider
    >>> ball = SphereCollider(0.5)
    >>> isinstance(ball, Collider3D), ball.intersects(BoxCollider(1, 1, 1))
    (True, True)
    """

    dimensions = 3
    _is_plane = False
    _is_point = False

    def _make_frame(self, pose: Pose) -> Frame3D:
        return Frame3D(pose)

    def _point(self, values: Any) -> Triple:
        if not isinstance(values, (Point, Vector3)):
            values = Point.from_array(unmasked(values, "a point"))
        return values.x, values.y, values.z

    def _refuse_array(self, points: NDArray[np.float64]) -> None:
        if points.shape[-1:] != (3,):
            raise ValueError(f"points must have shape (..., 3), got {points.shape}")

    # Queries of a ColliderSet, in the frame of the shape.

    def _enter(self, origins: Rows, directions: Rows) -> tuple[Rows, NDArray[np.bool_]]:
        """Returns the first t >= 0 at which rays (n, 3) enter, and whether they start inside."""
        starts = self._cross_many(origins, directions)[0]
        return np.where(starts >= 0.0, starts, np.inf), self._hold(origins.T)

    def _normals(self, origins: Rows, directions: Rows) -> Rows:
        """Returns the unit normals (n, 3) where rays enter the shape."""
        return self._cross_many(origins, directions)[1]

    def _cross_many(self, origins: Rows, directions: Rows) -> tuple[Rows, Rows]:
        """Returns the starts, NaN for misses, and normals of the crossings of many rays."""
        starts, normals = np.full(len(origins), np.nan), np.full(origins.shape, np.nan)
        for k, ray in enumerate(zip(origins.tolist(), directions.tolist())):
            crossing = self._cross(*ray)
            if crossing is not None:
                starts[k], normals[k] = crossing.start, crossing.normal
        return starts, normals

    def _spot(self, point: Triple) -> Spot:
        return Spot(point)

    def _separation(self, other: Any) -> Separation:
        return separation(self, other)

    def _meetings(self, other: Any) -> Iterable[tuple[Vec, list[tuple[Vec, float]]]]:
        return meetings(self, other, self._touch(other))

    def _span(self, axis: int) -> tuple[float, float]:
        forward = AXES[axis]
        return -self._support(scaled(forward, -1.0)), self._support(forward)

    def _encloses(self, other: Any) -> bool:
        """Returns whether this is a closed mesh around `other`, without touching it."""
        return False

    def _ball(self) -> tuple[Vec, float]:
        """Returns the centre and radius of a ball around the shape, in the world frame."""
        middle: Vec = self._frame.origin
        return middle, self._size

    @abstractmethod
    def _pieces(self, other: Any) -> Iterable[Any]:
        """Returns the convex pieces, in the world frame, that may be near `other`."""

    @abstractmethod
    def _extremes(self) -> Iterable[Vec]:
        """Returns corners, or points around a round surface, in the world frame."""
