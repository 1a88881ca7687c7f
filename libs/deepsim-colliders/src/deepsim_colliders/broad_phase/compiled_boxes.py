# SPDX-License-Identifier: Apache-2.0
"""Boxes that overlap those of a tree, compiled."""

from __future__ import annotations

from functools import partial
from typing import Any, Iterator

import numpy as np

from deepsim_colliders._numba import compiled, writable
from deepsim_colliders._rows import Array, Index

from .blocks import BLOCK, Pairs, filled
from .tree import Tree


def overlapping(tree: Tree, world: Index, lower: Array, upper: Array) -> Iterator[Pairs]:
    """Does as `Tree.around`."""
    query = [writable(world), writable(lower), writable(upper)]
    fill = partial(around, tree.boxes, tree.starts, tree.rows, *query)
    return filled(fill, 8 * world.size + BLOCK)


@compiled
def around(
    boxes: Any, starts: Any, order: Any, world: Any, lower: Any, upper: Any, number: Any, row: Any
) -> int:
    """Fills `number` and `row` with pairs of a box (n, 3), in its world, and a shape, as they fit.

    Returns how many there are.
    """
    groups, levels = np.empty(512, dtype=np.int64), np.empty(512, dtype=np.int64)
    per_tree, width, planes = boxes.shape[1], boxes.shape[3], boxes.reshape(-1)
    apart, opened = np.empty(width), np.empty(width + 1, dtype=np.int64)
    found = 0
    for one in range(world.size):
        here = world[one]
        lx, ly, lz = lower[one, 0], lower[one, 1], lower[one, 2]
        ux, uy, uz = upper[one, 0], upper[one, 1], upper[one, 2]
        groups[0], levels[0] = 0, starts.size - 2
        waiting = 1
        while waiting:
            waiting -= 1
            group, level = groups[waiting], levels[waiting]
            # As in `rays.trace`, for the sake of vector instructions.
            base = (here * per_tree + starts[level] + group) * 6 * width
            low_x, up_x = planes[base:][:width], planes[base + 3 * width :][:width]
            low_y, up_y = planes[base + width :][:width], planes[base + 4 * width :][:width]
            low_z, up_z = planes[base + 2 * width :][:width], planes[base + 5 * width :][:width]
            for child in range(width):
                # Where a group has fewer than others, its boxes end before they begin.
                meets = (low_x[child] <= up_x[child]) & (low_x[child] <= ux)
                meets &= (lx <= up_x[child]) & (low_y[child] <= uy) & (ly <= up_y[child])
                meets &= (low_z[child] <= uz) & (lz <= up_z[child])
                apart[child] = 0.0 if meets else 1.0
            count = 0
            for child in range(width):
                opened[count] = child
                count += 1 if apart[child] == 0.0 else 0
            for k in range(count):
                child = group * width + opened[k]
                if level:
                    groups[waiting], levels[waiting] = child, level - 1
                    waiting += 1
                    continue
                if found < number.size:
                    number[found], row[found] = one, order[here, child]
                found += 1
    return found
