# SPDX-License-Identifier: Apache-2.0
"""Shapes packed for compiled ray casts."""

from __future__ import annotations

import numpy as np

from deepsim_colliders._numba import writable
from deepsim_colliders._rows import Array, Flags, Rows
from deepsim_colliders._shape import BOX
from deepsim_colliders.broad_phase.bounds import Bounds
from deepsim_colliders.ray_batches.batch import Nearest, Rays


class Scene:
    """All shapes of the kinds that compiled code supports, and the bounds of the other shapes."""

    def __init__(self, rows: Rows, bounds: Bounds) -> None:
        worlds, fast = bounds.worlds, rows.kind <= BOX
        self._fast, self.slow = np.flatnonzero(fast), np.flatnonzero(~fast)
        # All worlds have the same kinds in the same order.
        whole = self.slow.size == 0
        packed = rows if whole else rows.take(self._fast)
        bounds = bounds if whole else Bounds(packed, worlds)
        self._tree = bounds.tree if self._fast.size else None
        self._kinds = writable(packed.kind.astype(np.int64))
        self._solids = _solids(packed)
        self.rest = None if whole else Bounds(rows.take(self.slow), worlds)

    def trace(self, rays: Rays, asked: Flags | None, nearest: Nearest) -> None:
        """Records the first compiled shape that each ray meets."""
        # Imported here, because numba belongs to an extra.
        from .raycast import trace  # noqa: PLC0415

        if self._tree is None:
            return
        tree = self._tree
        some = np.ones(self._fast.size, np.bool_) if asked is None else asked[self._fast]
        columns = [_in_space(side) for side in (rays.origins, rays.directions)]
        limits = [writable(limit) for limit in (rays.nearest, rays.farthest)]
        trace(
            *(tree.boxes, tree.starts, tree.rows, tree.size),
            *(self._solids, self._kinds, some, *columns, *limits),
            *(nearest.distance, nearest.row),
        )
        if self.slow.size:
            met = np.flatnonzero(nearest.row >= 0)
            nearest.row[met] = self._fast[nearest.row[met]]

    def surfaces(self, rays: Rays, nearest: Nearest, dimensions: int) -> tuple[Array, Array]:
        """Returns points and normals, (n, 3), where rays enter compiled shapes."""
        from .raycast import surfaces  # noqa: PLC0415

        points, normals = np.empty((2, nearest.row.size, 3))
        columns = [_in_space(side) for side in (rays.origins, rays.directions)]
        surfaces(
            *(self._solids, self._kinds, dimensions == 2, *columns, writable(rays.nearest)),
            *(nearest.row, nearest.distance, points, normals),
        )
        return points, normals


def _solids(rows: Rows) -> Array:
    """Returns centre, axes, half lengths, radius and touch of each shape as a row of (n, 17)."""
    dimensions, count = rows.center.shape
    packed = np.zeros((count, 17))
    packed[:, :dimensions] = rows.center.T
    axes = packed[:, 3:12].reshape(count, 3, 3)
    axes[:, :dimensions, :dimensions] = rows.axes.transpose(2, 0, 1)
    packed[:, 3:12] = axes.reshape(count, 9)
    packed[:, 12:15] = np.inf  # flat shapes extend infinitely along z
    packed[:, 12 : 12 + dimensions] = rows.half.T
    packed[:, 15], packed[:, 16] = rows.radius, rows.touch
    return packed


def _in_space(columns: Array) -> Array:
    if len(columns) == 2:
        columns = np.vstack([columns, np.zeros_like(columns[:1])])
    array: Array = writable(columns)
    return array
