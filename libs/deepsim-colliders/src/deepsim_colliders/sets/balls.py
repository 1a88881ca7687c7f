# SPDX-License-Identifier: Apache-2.0
"""The broad phase: bounding balls, all compared at once by one matrix product per world.

Pairs come in blocks, whose arrays fit in the cache of one CPU core.
"""

from __future__ import annotations

from typing import Iterator, Tuple

import numpy as np

from .rows import Array, Flags, Index

BLOCK = 1 << 15

Pairs = Tuple[Index, Index]

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
            self.center, self.reach = center, reach
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
            reach = self.reach[..., np.newaxis]
            local = self.center - other._middle
            square = (local * local).sum(axis=2, keepdims=True) * (1.0 - _ROUNDING) - reach * reach
            reach = np.broadcast_to(-2.0 * reach, square.shape)
            left = np.concatenate([local, np.ones_like(square), square, reach], axis=2)
            right = np.concatenate(
                [
                    other._right[:, :-2],
                    other._right[:, -1:],
                    other._right[:, -2:-1],
                    other.reach[:, np.newaxis],
                ],
                axis=1,
            )
            count = self.reach.shape[1]
            for world, some in other._blocks(count, len(self.reach)):
                ones = slice(0, 1) if len(left) == 1 else world
                others = slice(0, 1) if len(other.reach) == 1 else world
                near = ~(
                    left[ones, some] @ right[others] > 0.0
                )  # after an overflow, shapes may meet
                yield other._where(near, world, some, count)

    def nearest(
        self, points: Array, widths: Array, limits: Array, inner: Array, asked: Flags
    ) -> Iterator[Pairs]:
        """Yields pairs of a point and a shape that may be the one nearest to it.

        Args:
            points: middles of lines, shape (worlds, p, dimensions) [m].
            widths: half the lengths of the lines, shape (worlds, p) [m].
            limits: greatest distances of interest, shape (worlds, p) [m].
            inner: radii of balls inside the shapes; negative ones are of balls around them, of
                which some point belongs to the shape. Shape (worlds, n) [m].
            asked: shapes of interest, shape (worlds, n).
        """
        with np.errstate(all="ignore"):  # values that are not finite are near nothing
            for world, some in self._blocks(points.shape[1]):
                square: Array = 0.0  # type: ignore[assignment]  # becomes an array
                for axis in range(points.shape[2]):
                    side = points[world, some, np.newaxis, axis]
                    gap = side - self.center[world, np.newaxis, :, axis]
                    square = square + gap * gap
                far = np.sqrt(square)
                lower = far - self.reach[world, np.newaxis]
                lower -= widths[world, some, np.newaxis]
                use = asked[world, np.newaxis]
                upper = np.where(use, far - inner[world, np.newaxis], np.inf)
                upper = upper.min(axis=2, keepdims=True, initial=np.inf)
                upper += 1e-9 * np.abs(upper)
                near = use & (lower <= np.fmin(upper, limits[world, some, np.newaxis]))
                yield self._where(near, world, some, points.shape[1])

    def _left(self, points: Array) -> Array:
        local = points - self._middle
        square = (local * local).sum(axis=2, keepdims=True) * (1.0 - _ROUNDING)
        return np.concatenate([local, square, np.ones_like(square)], axis=2)

    def _blocks(self, count: int, worlds: int = 1) -> Iterator[tuple[slice, slice]]:
        """Yields slices of worlds and of points to compare with all shapes at once."""
        size, worlds = self.reach.shape[1], max(worlds, len(self.reach))
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
        rows = row + (place * size if len(self.reach) > 1 else 0)
        return place * count + number + some.start, rows


def collected(parts: Iterator[Pairs]) -> Iterator[Pairs]:
    """Joins small parts into blocks that are worth the fixed cost of a further step."""
    waiting: list[Pairs] = []
    size = 0
    for part in parts:
        waiting.append(part)
        size += part[0].size
        if size >= BLOCK // 2:
            yield _joined(waiting)
            waiting, size = [], 0
    if size:
        yield _joined(waiting)


def _joined(parts: list[Pairs]) -> Pairs:
    if len(parts) == 1:
        return parts[0]
    first, second = zip(*parts)
    return np.concatenate(first), np.concatenate(second)
