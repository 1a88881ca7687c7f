# SPDX-License-Identifier: Apache-2.0
"""Cheap tests by the balls around shapes: which pairs deserve an exact one.

They never lose a pair that meets; rounding is allowed for.
"""

from __future__ import annotations

from typing import Iterator

import numpy as np

from ._rows import Array, Flags, Index, Rows

# Pairs per block: the arrays of a block stay in the cache of a core.
BLOCK = 1 << 15

# What a dozen products and sums of squared coordinates may lose, as a part of them.
_ROUNDING = 3e-14


class Balls:
    """Balls around shapes, ready to be compared with others."""

    def __init__(self, rows: Rows) -> None:
        self.center = rows.center
        self.reach = (rows.reach + rows.touch) * (1.0 + 1e-9)
        # (p - q)^2 - (r + s)^2 = (p^2 - r^2) + (q^2 - s^2) - 2 (p q + r s), less what rounding may
        # take, is a product of one row for each side.
        ball = np.vstack([rows.center, self.reach])
        with np.errstate(all="ignore"):
            squares = ball * ball
            rest = squares[:-1].sum(axis=0) * (1.0 - _ROUNDING) - squares[-1]
        ones = np.ones_like(rest)
        self._left = np.vstack([-2.0 * ball, rest, ones]).T
        self._right = np.vstack([ball, ones, rest])

    def overlapping(self, other: Balls) -> Iterator[tuple[Index, Index]]:
        """Pairs of a shape of this side and one of the other whose balls touch, in blocks."""
        count = self.reach.size * other.reach.size
        if count > BLOCK:
            return _collected(_swept(self, other))
        with np.errstate(all="ignore"):
            gaps = self._left @ other._right
            met = _where(~(gaps > 0.0))  # what overflows may meet
        return iter([met] if met[0].size else [])


def _swept(a: Balls, b: Balls) -> Iterator[tuple[Index, Index]]:
    """Sweep and prune along the axis on which the shapes spread the most."""
    spread = np.ptp(np.concatenate([a.center, b.center], axis=1), axis=1)
    axis = int(np.argmax(spread))
    for first, second, swap in ((a, b, False), (b, a, True)):
        low, high = _extent(first, axis)
        lows = _extent(second, axis)[0]
        order = np.argsort(lows, kind="stable")
        lows = lows[order]
        # Each pair that overlaps starts in one of both: in `first` also when both start at once.
        start = np.searchsorted(lows, low, side="right" if swap else "left")
        count = np.maximum(np.searchsorted(lows, high, side="right") - start, 0)
        for i, j in ragged(start, count):
            j = order[j]
            gap = first.center[:, i] - second.center[:, j]
            reach = first.reach[i] + second.reach[j]
            with np.errstate(all="ignore"):
                near = ~(np.einsum("dn,dn->n", gap, gap) > reach * reach)
            i, j = i[near], j[near]
            yield (j, i) if swap else (i, j)


def _extent(balls: Balls, axis: int) -> tuple[Array, Array]:
    center = balls.center[axis]
    reach = balls.reach + 1e-12 * np.abs(center)
    return center - reach, center + reach


def ragged(start: Index, count: Index) -> Iterator[tuple[Index, Index]]:
    """Number and value of the ranges start .. start + count, one after the other, in blocks."""
    ends = np.cumsum(count)
    total = int(ends[-1]) if ends.size else 0
    shift = start - (ends - count)
    for begin in range(0, total, BLOCK):
        flat = np.arange(begin, min(begin + BLOCK, total))
        number = np.searchsorted(ends, flat, side="right")
        yield number, flat + shift[number]


def near_points(rows: Rows, points: Array) -> Iterator[tuple[Index, Index]]:
    """Pairs of a point, of (n, dimensions), and a shape whose ball it touches, in blocks."""
    return _collected(_near_points(rows, points))


def near_rays(rows: Rows, origins: Array, directions: Array) -> Iterator[tuple[Index, Index]]:
    """Pairs of a ray, of (n, dimensions), and a shape whose ball it touches, in blocks.

    Directions are of any length, also zero.
    """
    return _collected(_near_rays(rows, origins, directions))


def _near_points(rows: Rows, points: Array) -> Iterator[tuple[Index, Index]]:
    with np.errstate(all="ignore"):  # what is not finite is near to nothing
        left, right = _squares(rows, points)
        for block in _blocks(len(points), rows.owner.size):
            point, row = _where(left[block] @ right <= 0.0)
            yield point + block.start, row


def _near_rays(rows: Rows, origins: Array, directions: Array) -> Iterator[tuple[Index, Index]]:
    # With w from the origin to a centre: w.w - (w.d)^2 <= r^2, or w.w <= r^2 for those behind.
    with np.errstate(all="ignore"):
        left, right = _squares(rows, origins)
        lengths = np.sqrt(np.einsum("nd,nd->n", directions, directions))
        unit = directions / np.where(lengths > 0.0, lengths, 1.0)[:, np.newaxis]
        middle = _middle(rows)
        steps = np.column_stack([unit, -np.einsum("nd,nd->n", unit, origins - middle)])
        centers = np.vstack([rows.center - middle[:, np.newaxis], np.ones(rows.owner.size)])
        for block in _blocks(len(origins), rows.owner.size):
            ahead = steps[block] @ centers
            np.maximum(ahead, 0.0, out=ahead)
            np.multiply(ahead, ahead, out=ahead)
            ray, row = _where(left[block] @ right <= ahead)
            yield ray + block.start, row


def _squares(rows: Rows, points: Array) -> tuple[Array, Array]:
    """Matrices whose product is |point - center|^2 less the squared radius of the ball.

    The terms that cancel are kept small by a shift to the middle of all centres, and what rounding
    may take is taken off.
    """
    middle = _middle(rows)
    center, local = rows.center - middle[:, np.newaxis], points - middle
    reach = rows.reach + 2.0 * rows.touch
    square = np.einsum("dn,dn->n", center, center) * (1.0 - _ROUNDING) - reach * reach
    local_square = np.einsum("nd,nd->n", local, local) * (1.0 - _ROUNDING)
    left = np.column_stack([local, local_square, np.ones(len(local))])
    return left, np.vstack([-2.0 * center, np.ones_like(square), square])


def _middle(rows: Rows) -> Array:
    middle: Array = 0.5 * (rows.center.min(axis=1) + rows.center.max(axis=1))
    return middle


def _where(found: Flags) -> tuple[Index, Index]:
    line, column = np.divmod(np.flatnonzero(found), found.shape[1])  # faster than np.nonzero
    return line, column


def _blocks(rows: int, columns: int) -> Iterator[slice]:
    step = max(1, BLOCK // max(columns, 1))
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))


def _collected(parts: Iterator[tuple[Index, Index]]) -> Iterator[tuple[Index, Index]]:
    """Join parts until they are worth the fixed cost of what is done with them."""
    waiting: list[tuple[Index, Index]] = []
    size = 0
    for part in parts:
        waiting.append(part)
        size += part[0].size
        if size >= BLOCK // 2:
            yield _joined(waiting)
            waiting, size = [], 0
    if size:
        yield _joined(waiting)


def _joined(parts: list[tuple[Index, Index]]) -> tuple[Index, Index]:
    first, second = zip(*parts)
    return np.concatenate(first), np.concatenate(second)
