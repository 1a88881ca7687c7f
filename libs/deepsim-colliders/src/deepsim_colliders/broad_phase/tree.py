# SPDX-License-Identifier: Apache-2.0
"""A hierarchy of bounding boxes for each world: a tree with up to 16 children per node."""

from __future__ import annotations

from functools import cached_property
from typing import Callable, Iterator

import numpy as np

from deepsim_colliders._rows import Array, Flags, Index

from .blocks import Pairs

# A multiple of the numbers that a vector instruction takes.
GROUP = 16

# Number of groups opened at once.
_CHUNK = 2048


# The numbers below 1024, with two zeros after each bit.
_BITS = np.arange(10)
_SPREAD: Index = ((np.arange(1024)[:, np.newaxis] >> _BITS & 1) << 3 * _BITS).sum(axis=1)


class Tree:
    """Bounding boxes in groups of sixteen neighbours, groups of groups, up to a single group.

    Neighbours follow each other on the curve of Morton 1966. All worlds have the same number of
    shapes, so child c of group g is group 16 g + c of the level below, without pointers.

    Args:
        lower: least coordinates (worlds, n, 3) [m]; infinity for shapes that meet nothing.
        upper: greatest coordinates, likewise; -infinity for shapes that meet nothing.
    """

    def __init__(self, lower: Array, upper: Array) -> None:
        worlds, count, _ = lower.shape
        order = np.argsort(_morton(lower, upper), axis=1, kind="stable")
        order += count * np.arange(worlds)[:, np.newaxis]
        both = np.concatenate([lower, upper], axis=2).reshape(-1, 6).take(order, axis=0)
        levels = [_grouped(both)]
        while levels[-1].shape[1] > 1:
            both = np.concatenate(
                [levels[-1][:, :, :3].min(axis=3), levels[-1][:, :, 3:].max(axis=3)], axis=2
            )
            levels.append(_grouped(both))
        sizes = [level.shape[1] for level in levels]
        self.starts: Index = np.concatenate([[0], np.cumsum(sizes)])
        """First group of each level in `boxes`, finest level first."""
        self.boxes: Array = np.concatenate(levels, axis=1)
        """Shape (worlds, groups, 6, 16): least and greatest x, y, z of sixteen boxes."""
        self.rows: Index = np.full((worlds, sizes[0] * GROUP), -1)
        """Number of each shape of the finest level, counted over all worlds."""
        self.rows[:, :count] = order

    @cached_property
    def size(self) -> float:
        """Upper bound on the distance from the origin to any corner [m]."""
        leaves = np.abs(self.boxes[:, : self.starts[1]])
        return 3.0 * float(leaves.max(initial=0.0, where=leaves < np.inf))

    def around(self, world: Index, lower: Array, upper: Array) -> Iterator[Pairs]:
        """Yields pairs of query boxes (n, 3) and shapes whose boxes they overlap, by world."""

        def overlap(which: Index, boxes: Array) -> Flags:
            low, high = lower[which, :, np.newaxis], upper[which, :, np.newaxis]
            overlaps = (boxes[:, :3] <= high) & (low <= boxes[:, 3:])
            hit: Flags = np.logical_and.reduce(overlaps, axis=1)
            # The empty boxes that pad a group end before they begin.
            hit &= boxes[:, 0] <= boxes[:, 3]
            return hit

        return self._opened(world, overlap)

    def along(
        self, world: Index, origins: Array, directions: Array, nearest: Array, farthest: Array
    ) -> Iterator[Pairs]:
        """Yields pairs of rays (n, 3) and shapes whose boxes they cross, by world."""
        # Largest displacement of a point by rounding.
        slack = 1e-14 * (np.abs(origins).sum(axis=1) + self.size)
        steps = np.copysign(1.0 / np.maximum(np.abs(directions), 1e-300), directions)
        back = np.signbit(steps)

        def crossed(which: Index, boxes: Array) -> Flags:
            start, end = nearest[which, np.newaxis], farthest[which, np.newaxis]
            pad = slack[which, np.newaxis]
            for axis in range(3):
                low, high = boxes[:, axis] - pad, boxes[:, axis + 3] + pad
                turned = back[which, axis, np.newaxis]
                origin, step = origins[which, axis, np.newaxis], steps[which, axis, np.newaxis]
                first, last = np.where(turned, high, low), np.where(turned, low, high)
                start = np.maximum(start, (first - origin) * step)
                end = np.minimum(end, (last - origin) * step)
            hit: Flags = start * (1.0 - 1e-14) <= end * (1.0 + 1e-14)
            return hit

        return self._opened(world, crossed)

    def _opened(self, world: Index, test: Callable[[Index, Array], Flags]) -> Iterator[Pairs]:
        """Opens groups from the top down while `test` finds children."""
        top = len(self.starts) - 2
        boxes = self.boxes.reshape(-1, 6, GROUP)
        total, rows = self.boxes.shape[1], self.rows
        waiting = [(top, np.arange(world.size), np.zeros(world.size, dtype=np.intp))]
        with np.errstate(all="ignore"):
            while waiting:
                level, which, group = waiting.pop()
                if which.size > _CHUNK:
                    waiting.append((level, which[_CHUNK:], group[_CHUNK:]))
                    which, group = which[:_CHUNK], group[:_CHUNK]
                place = world[which] * total + self.starts[level] + group
                found = np.flatnonzero(test(which, boxes[place]))
                number, child = np.divmod(found, GROUP)
                which, group = which[number], group[number] * GROUP + child
                if not which.size:
                    continue
                if level:
                    waiting.append((level - 1, which, group))
                else:
                    yield which, rows[world[which], group]


def _grouped(boxes: Array) -> Array:
    """Groups (worlds, n, 6) as (worlds, groups, 6, 16), padded with empty boxes."""
    worlds, count, _ = boxes.shape
    groups = -(-count // GROUP)
    padded = np.empty((worlds, groups * GROUP, 6))
    padded[:, :count] = boxes
    padded[:, count:, :3], padded[:, count:, 3:] = np.inf, -np.inf
    return np.ascontiguousarray(padded.reshape(worlds, groups, GROUP, 6).swapaxes(2, 3))


def _morton(lower: Array, upper: Array) -> Index:
    """Returns the positions (worlds, n) of the centres of boxes on a space-filling curve."""
    with np.errstate(all="ignore"):
        middle = np.ascontiguousarray((0.5 * (lower + upper)).swapaxes(1, 2))
        middle[~np.isfinite(middle)] = 0.0
        least = middle.min(axis=2, keepdims=True)
        span = (middle.max(axis=2, keepdims=True) - least).max(axis=1, keepdims=True)
        span[span == 0.0] = 1.0
        cell = ((middle - least) * (1023.0 / span)).astype(np.intp)
    code = _SPREAD.take(cell, mode="clip")
    places: Index = code[:, 0] | (code[:, 1] << 1) | (code[:, 2] << 2)
    return places
