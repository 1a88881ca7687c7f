# SPDX-License-Identifier: Apache-2.0
"""Boxes around boxes around shapes, twelve to a group, in each of many worlds."""

from __future__ import annotations

from typing import Callable, Iterator

import numpy as np

from deepsim_colliders.sets.rows import Array, Flags, Index

from .blocks import Pairs

GROUP = 12

# Groups that are opened at once.
_CHUNK = 2048


class Tree:
    """Bounding boxes in groups of twelve neighbours, groups of groups, up to a single group.

    Neighbours are those that follow each other on the curve of Morton 1966. All worlds have as many
    shapes, so child c of group g is group 12 g + c of the level below, without pointers.

    Args:
        lower: least coordinates, (worlds, n, 3) [m]; infinite for what meets nothing.
        upper: greatest coordinates, likewise; minus infinity for what meets nothing.
    """

    def __init__(self, lower: Array, upper: Array) -> None:
        worlds, count, _ = lower.shape
        order = np.argsort(_morton(lower, upper), axis=1, kind="stable")
        lower = np.take_along_axis(lower, order[..., np.newaxis], axis=1)
        upper = np.take_along_axis(upper, order[..., np.newaxis], axis=1)
        levels = []
        while True:
            level = np.concatenate([_grouped(lower, np.inf), _grouped(upper, -np.inf)], axis=2)
            levels.append(level)
            if level.shape[1] == 1:
                break
            lower, upper = level[:, :, :3].min(axis=3), level[:, :, 3:].max(axis=3)
        sizes = [level.shape[1] for level in levels]
        self.starts: Index = np.concatenate([[0], np.cumsum(sizes)])
        """Of each level, the finest first, in `boxes`."""
        self.boxes: Array = np.concatenate(levels, axis=1)
        """Shape (worlds, groups, 6, 12): least and greatest x, y, z of twelve boxes."""
        self.rows: Index = np.full((worlds, sizes[0] * GROUP), -1)
        """Number of each shape of the finest level, counted over all worlds."""
        finite = np.abs(levels[0][np.isfinite(levels[0])])
        self.size = 3.0 * float(finite.max(initial=0.0))
        """At least the distance of any corner from the origin [m]."""
        self.rows[:, :count] = order + count * np.arange(worlds)[:, np.newaxis]

    def around(self, world: Index, lower: Array, upper: Array) -> Iterator[Pairs]:
        """Pairs of one of the boxes (n, 3), each in its world, and a shape that it overlaps."""

        def overlap(which: Index, boxes: Array) -> Flags:
            low, high = lower[which, :, np.newaxis], upper[which, :, np.newaxis]
            overlaps = (boxes[:, :3] <= high) & (low <= boxes[:, 3:])
            hit: Flags = np.logical_and.reduce(overlaps, axis=1)
            # Where a group has fewer than others, its boxes end before they begin.
            hit &= boxes[:, 0] <= boxes[:, 3]
            return hit

        return self._opened(world, overlap)

    def along(
        self, world: Index, origins: Array, directions: Array, nearest: Array, farthest: Array
    ) -> Iterator[Pairs]:
        """Pairs of a ray (n, 3), in its world, and a shape whose box it crosses."""
        # What rounding may move a point, as a part of its coordinates.
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
        """Open groups from the top down for as long as `test` finds a child."""
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


def _grouped(values: Array, empty: float) -> Array:
    """From (worlds, n, 3) to (worlds, groups, 3, 12)."""
    worlds, count, _ = values.shape
    groups = -(-count // GROUP)
    padded = np.full((worlds, groups * GROUP, 3), empty)
    padded[:, :count] = values
    return np.ascontiguousarray(padded.reshape(worlds, groups, GROUP, 3).swapaxes(2, 3))


def _morton(lower: Array, upper: Array) -> Index:
    """Places of the middles of boxes on a curve that fills space, (worlds, n)."""
    with np.errstate(all="ignore"):
        middle = np.nan_to_num(0.5 * (lower + upper), nan=0.0, posinf=0.0, neginf=0.0)
        least = middle.min(axis=1, keepdims=True)
        span = (middle.max(axis=1, keepdims=True) - least).max(axis=2, keepdims=True)
        cell = np.nan_to_num((middle - least) / span * 1023.0, posinf=0.0).astype(np.int64)
    for shift, mask in ((16, 0x30000FF), (8, 0x300F00F), (4, 0x30C30C3), (2, 0x9249249)):
        cell = (cell | (cell << shift)) & mask
    code: Index = cell[..., 0] | (cell[..., 1] << 1) | (cell[..., 2] << 2)
    return code
