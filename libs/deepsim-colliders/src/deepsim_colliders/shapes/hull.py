# SPDX-License-Identifier: Apache-2.0
"""Convex hulls of points."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_colliders._borders import points_array
from deepsim_colliders._crossings import Crossing, Rows
from deepsim_colliders._follower import ORIGIN
from deepsim_colliders._frames import Triple
from deepsim_colliders.convex_collider import ConvexCollider
from deepsim_math import Pose


class HullCollider(ConvexCollider):
    """The smallest convex shape around given points; needs ``deepsim-colliders[hulls]``.

    >>> wedge = HullCollider([(x, y, 0) for x in (0, 2) for y in (0, 1)] + [(0, 0, 1), (0, 1, 1)])
    >>> wedge.contains((0.5, 0.5, 0.7)), wedge.contains((1.5, 0.5, 0.7))
    (True, False)

    Args:
        points: points in its frame (n, 3) [m], at least four that are not coplanar.

    Raises:
        ImportError: when SciPy is not installed.
        ValueError: when the points are coplanar or not finite.
    """

    def __init__(self, points: ArrayLike, *, pose_offset: Pose = ORIGIN) -> None:
        super().__init__(pose_offset)
        self._vertices, self._outs, self._offsets, self._rings = _hull(
            points_array(points, "the points of a hull")
        )

    @property
    def vertices(self) -> NDArray[np.float64]:
        """Corners in the frame of the hull, (n, 3) [m]."""
        vertices: NDArray[np.float64] = self._vertices.copy()
        return vertices

    def _sizes(self) -> str:
        return f"{self._vertices.tolist()}"

    def support_point(self, direction: Triple) -> Triple:
        """Returns the farthest corner along a direction of the frame."""
        x, y, z = self._vertices[int(np.argmax(self._vertices @ direction))].tolist()
        return x, y, z

    def _core_corners(self) -> list[Triple]:
        return [(x, y, z) for x, y, z in self._vertices.tolist()]

    def _hold(self, points: Any) -> NDArray[np.bool_]:
        heights = self._outs @ np.asarray(points, dtype=np.float64) - self._offsets[:, None]
        inside: NDArray[np.bool_] = (heights <= self._gap).all(axis=0)
        return inside

    def _holds(self, point: Triple) -> bool:
        return bool((self._outs @ point - self._offsets <= self._gap).all())

    def _cross(self, origin: Triple, direction: Triple) -> Crossing | None:
        # Cyrus and Beck 1978: from the last plane entered to the first plane left.
        heights = self._outs @ origin - self._offsets
        rises = self._outs @ direction
        with np.errstate(divide="ignore", invalid="ignore"):
            times = -heights / rises
        if (heights[rises == 0.0] > 0.0).any():
            return None
        entered, left = np.where(rises < 0.0, times, -np.inf), np.where(rises > 0.0, times, np.inf)
        face = int(np.argmax(entered))
        start, end = float(entered[face]), float(left.min())
        if not start <= end:
            return None
        x, y, z = self._outs[face].tolist()
        return Crossing(start, end, (x, y, z))

    def _cross_many(self, origins: Rows, directions: Rows) -> tuple[Rows, Rows]:
        heights = origins @ self._outs.T - self._offsets
        rises = directions @ self._outs.T
        with np.errstate(divide="ignore", invalid="ignore"):
            times = -heights / rises
        entered = np.where(rises < 0.0, times, -np.inf)
        left = np.where(rises > 0.0, times, np.inf)
        faces = entered.argmax(axis=1)
        starts = np.take_along_axis(entered, faces[:, np.newaxis], axis=1)[:, 0]
        missed = ((rises == 0.0) & (heights > 0.0)).any(axis=1) | ~(starts <= left.min(axis=1))
        return np.where(missed, np.nan, starts), self._outs[faces]

    def _contains(self, other: Any) -> bool:
        frame, touch = self._frame, self._touch(other)
        if math.isinf(other._size):
            return False
        for normal, offset in zip(self._outs.tolist(), self._offsets.tolist()):
            out = frame.turn_to_world(normal)
            middle = sum(o * n for o, n in zip(frame.origin, out))
            if not other._support(out) <= middle + offset + touch:
                return False
        return True

    def _face_here(self, direction: Triple) -> tuple[Triple, list[Triple]]:
        face = int(np.argmax(self._outs @ direction))
        x, y, z = self._outs[face].tolist()
        ring = self._vertices[self._rings[face]].tolist()
        return (x, y, z), [(a, b, c) for a, b, c in ring]


def _hull(points: NDArray[np.float64]) -> tuple[Any, Any, Any, list[NDArray[np.intp]]]:
    """Returns the corners, and the unit normals, offsets and corner numbers of the faces."""
    try:
        from scipy.spatial import ConvexHull, QhullError  # noqa: PLC0415 (of an extra)
    except ImportError:
        raise ImportError(
            "a HullCollider needs SciPy: pip install 'deepsim-colliders[hulls]'"
        ) from None
    middle = points.mean(axis=0)
    try:
        found = ConvexHull(points - middle)
    except (QhullError, ValueError) as error:
        raise ValueError(
            f"a hull needs at least four points that are not coplanar, got {len(points)} points"
        ) from error
    vertices = points[found.vertices]
    size = float(np.abs(points - middle).max())
    planes: list[NDArray[np.float64]] = []
    for plane in found.equations:  # triangles of a face share a plane, up to rounding
        if all(
            abs(plane[3] - known[3]) > 1e-9 * size or plane[:3] @ known[:3] < 1.0 - 1e-12
            for known in planes
        ):
            planes.append(plane)
    normals = np.array(planes)[:, :3]
    offsets = (vertices @ normals.T).max(axis=0)
    rings = []
    for normal, offset in zip(normals, offsets):
        corners = np.flatnonzero(vertices @ normal >= offset - 1e-9 * size)
        center = vertices[corners].mean(axis=0)
        x = vertices[corners[0]] - center
        y = np.cross(normal, x)
        angles = np.arctan2((vertices[corners] - center) @ y, (vertices[corners] - center) @ x)
        rings.append(corners[np.argsort(angles)])
    return vertices, normals, offsets, rings
