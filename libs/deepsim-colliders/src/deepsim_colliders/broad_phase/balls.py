# SPDX-License-Identifier: Apache-2.0
"""Bounding balls of a few shapes, all compared at once by one matrix product per world."""

from __future__ import annotations

from typing import Iterator

import numpy as np

from deepsim_colliders._rows import Array, Flags

from .blocks import BLOCK, Pairs

# Relative rounding error of a dozen products and sums of squared coordinates.
_ROUNDING = 3e-14


class Balls:
    """Bounding balls of the shapes of each world.

    Args:
        center: shape (worlds, n, dimensions) [m].
        reach: radii, shape (worlds, n) [m].
    """

    def __init__(self, center: Array, reach: Array) -> None:
        with np.errstate(all="ignore"):
            middle = 0.5 * (np.fmin.reduce(center, axis=1) + np.fmax.reduce(center, axis=1))
            self._middle = np.nan_to_num(middle)[:, np.newaxis]
            self._center, self._reach = center, reach
            local = center - self._middle
            square = (local * local).sum(axis=2) * (1.0 - _ROUNDING) - reach * reach
            ones = np.ones_like(square)
            # |p - c|^2 - r^2 is a product of one row for each side.
            self._right = np.stack([*(-2.0 * local).transpose(2, 0, 1), ones, square], axis=1)
            self._ahead = np.stack([*local.transpose(2, 0, 1), ones], axis=1)

    def around(self, points: Array) -> Iterator[Pairs]:
        """Yields pairs of points (worlds, p, dimensions) and shapes whose balls contain them."""
        with np.errstate(all="ignore"):  # values that are not finite are near nothing
            left = self._left(points)
            for world, some in self._blocks(points.shape[1]):
                near = left[world, some] @ self._right[world] <= 0.0
                yield self._where(near, world, some, points.shape[1])

    def along(self, origins: Array, directions: Array) -> Iterator[Pairs]:
        """Yields pairs of rays (worlds, r, dimensions) and shapes whose balls they touch.

        Directions may have any length, including zero.
        """
        # With w from the origin to a centre: w.w - (w.d)^2 <= r^2, or w.w <= r^2 for those behind.
        with np.errstate(all="ignore"):
            left = self._left(origins)
            lengths = np.sqrt((directions * directions).sum(axis=2, keepdims=True))
            unit = directions / np.where(lengths > 0.0, lengths, 1.0)
            behind = -(unit * (origins - self._middle)).sum(axis=2, keepdims=True)
            steps = np.concatenate([unit, behind], axis=2)
            for world, some in self._blocks(origins.shape[1]):
                ahead = steps[world, some] @ self._ahead[world]
                np.maximum(ahead, 0.0, out=ahead)
                np.multiply(ahead, ahead, out=ahead)
                near = left[world, some] @ self._right[world] <= ahead
                yield self._where(near, world, some, origins.shape[1])

    def overlapping(self, other: Balls) -> Iterator[Pairs]:
        """Yields pairs of shapes, one of each set, whose balls touch, world by world."""
        with np.errstate(all="ignore"):
            reach = self._reach[..., np.newaxis]
            local = self._center - other._middle
            square = (local * local).sum(axis=2, keepdims=True) * (1.0 - _ROUNDING) - reach * reach
            reach = np.broadcast_to(-2.0 * reach, square.shape)
            left = np.concatenate([local, np.ones_like(square), square, reach], axis=2)
            right = np.concatenate(
                [
                    other._right[:, :-2],
                    other._right[:, -1:],
                    other._right[:, -2:-1],
                    other._reach[:, np.newaxis],
                ],
                axis=1,
            )
            count = self._reach.shape[1]
            for world, some in other._blocks(count, len(self._reach)):
                ones = slice(0, 1) if len(left) == 1 else world
                others = slice(0, 1) if len(other._reach) == 1 else world
                near = ~(
                    left[ones, some] @ right[others] > 0.0
                )  # after an overflow, shapes may meet
                yield other._where(near, world, some, count)

    def _left(self, points: Array) -> Array:
        local = points - self._middle
        square = (local * local).sum(axis=2, keepdims=True) * (1.0 - _ROUNDING)
        return np.concatenate([local, square, np.ones_like(square)], axis=2)

    def _blocks(self, count: int, worlds: int = 1) -> Iterator[tuple[slice, slice]]:
        """Yields slices of worlds and of points to compare with all shapes at once."""
        size, worlds = self._reach.shape[1], max(worlds, len(self._reach))
        step = max(1, BLOCK // max(size * count, 1))
        some = max(1, BLOCK // max(size, 1))
        for world in range(0, worlds, step):
            for start in range(0, count, some):
                yield slice(world, min(world + step, worlds)), slice(start, start + some)

    def _where(self, near: Flags, world: slice, some: slice, count: int) -> Pairs:
        size = near.shape[2]
        line, row = np.divmod(np.flatnonzero(near), size)  # faster than np.nonzero
        place, number = np.divmod(line, near.shape[1])
        place += world.start
        rows = row + (place * size if len(self._reach) > 1 else 0)
        return place * count + number + some.start, rows
