# SPDX-License-Identifier: Apache-2.0
"""Landscapes with heights on a grid."""

from __future__ import annotations

from typing import Any, Sequence, SupportsFloat

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_colliders._borders import numbers, positive
from deepsim_colliders._follower import ORIGIN
from deepsim_colliders._frames import Triple
from deepsim_math import Pose

from .mesh import MeshCollider


class HeightmapCollider(MeshCollider):
    """Ground with heights on a grid, solid down to a flat base.

    The grid is centred on its frame. A diagonal divides each cell into two triangles; it runs from
    the corner of least x and y to the corner of greatest x and y.

    >>> hill = HeightmapCollider([[0, 0, 0], [0, 1, 0], [0, 0, 0]], (2, 2))
    >>> hill.height_at(0.5, 0.0)
    0.5

    Args:
        heights: (rows, columns) [m], at least 2 of each; rows are along y, columns along x.
        size: lengths along x and y between the outer points of the grid [m], > 0.
        depth: distance from the lowest height to the base [m], > 0.

    Raises:
        TypeError: when `heights` are not real numbers.
        ValueError: when `heights` is not a grid, or not finite.
    """

    def __init__(
        self,
        heights: ArrayLike,
        size: Sequence[SupportsFloat],
        depth: SupportsFloat = 1.0,
        *,
        pose_offset: Pose = ORIGIN,
    ) -> None:
        grid = numbers(heights, "heights").copy()
        if grid.ndim != 2 or min(grid.shape) < 2:
            raise ValueError(f"heights must have shape (>= 2, >= 2), got {grid.shape}")
        bad = np.argwhere(~np.isfinite(grid))
        if bad.size:
            row, column = bad[0]
            raise ValueError(
                f"heights must be finite, but heights[{row}, {column}] is {grid[row, column]}"
            )
        if numbers(size, "size").shape != (2,):
            raise ValueError(f"the size of a heightmap must be two lengths, got {size!r}")
        self._grid = grid
        self._half = 0.5 * positive(size[0], "size"), 0.5 * positive(size[1], "size")
        self._base = float(grid.min()) - positive(depth, "depth")
        super().__init__(*_solid(grid, self._half, self._base), pose_offset=pose_offset)

    @property
    def heights(self) -> NDArray[np.float64]:
        """Heights (rows, columns) [m]."""
        return self._grid.copy()

    def _sizes(self) -> str:
        rows, columns = self._grid.shape
        return f"<{rows} x {columns} heights>, size={tuple(2 * half for half in self._half)}"

    def height_at(self, x: float, y: float) -> float:
        """Returns the height of the ground at a place in its frame [m]; NaN outside the grid."""
        return float(self._heights_at(np.array([x]), np.array([y]))[0])

    def _heights_at(self, x: Any, y: Any) -> Any:
        rows, columns = self._grid.shape
        half_x, half_y = self._half
        u = (x / half_x + 1.0) * 0.5 * (columns - 1)
        v = (y / half_y + 1.0) * 0.5 * (rows - 1)
        on_it = (np.abs(x) <= half_x + self._gap) & (np.abs(y) <= half_y + self._gap)
        u = np.clip(np.nan_to_num(u), 0.0, columns - 1)
        v = np.clip(np.nan_to_num(v), 0.0, rows - 1)
        i, j = np.minimum(u.astype(int), columns - 2), np.minimum(v.astype(int), rows - 2)
        u, v, grid = u - i, v - j, self._grid
        here, there = grid[j, i], grid[j + 1, i + 1]
        right, up = grid[j, i + 1], grid[j + 1, i]
        low = here + u * (right - here) + v * (there - right)  # u >= v
        high = here + v * (up - here) + u * (there - up)
        return np.where(on_it, np.where(u >= v, low, high), np.nan)

    def _hold(self, points: Any) -> NDArray[np.bool_]:
        x, y, z = (np.asarray(column, dtype=np.float64) for column in points)
        with np.errstate(invalid="ignore"):
            ground = self._heights_at(x, y)
            held: NDArray[np.bool_] = (z <= ground + self._gap) & (z >= self._base - self._gap)
        return held

    def _holds(self, point: Triple) -> bool:
        return bool(self._hold([np.array([value]) for value in point])[0])


def _solid(grid: NDArray[np.float64], half: tuple[float, float], base: float) -> tuple[Any, Any]:
    """Returns vertices and faces of a closed mesh: ground, walls and base."""
    rows, columns = grid.shape
    x, y = np.linspace(-half[0], half[0], columns), np.linspace(-half[1], half[1], rows)
    ground = np.column_stack([np.tile(x, rows), np.repeat(y, columns), grid.ravel()])
    number = np.arange(rows * columns).reshape(rows, columns)
    here, right = number[:-1, :-1].ravel(), number[:-1, 1:].ravel()
    up, there = number[1:, :-1].ravel(), number[1:, 1:].ravel()
    top = np.concatenate(
        [np.column_stack([here, right, there]), np.column_stack([here, there, up])]
    )
    rim = np.concatenate([number[0, :-1], number[:-1, -1], number[-1, :0:-1], number[:0:-1, 0]])
    below = rows * columns + np.arange(len(rim))
    middle = rows * columns + len(rim)
    after, after_below = np.roll(rim, -1), np.roll(below, -1)
    walls = np.concatenate(
        [np.column_stack([rim, below, after_below]), np.column_stack([rim, after_below, after])]
    )
    floor = np.column_stack([np.full(len(rim), middle), after_below, below])
    foot = ground[rim].copy()
    foot[:, 2] = base
    vertices = np.concatenate([ground, foot, [[0.0, 0.0, base]]])
    return vertices, np.concatenate([top, walls, floor])
