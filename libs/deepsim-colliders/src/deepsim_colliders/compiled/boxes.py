# SPDX-License-Identifier: Apache-2.0
"""Which boxes overlap those of a tree, compiled."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np

from deepsim_colliders.broad_phase.blocks import BLOCK, Pairs
from deepsim_colliders.broad_phase.tree import GROUP, Tree
from deepsim_colliders.sets.rows import Array, Index

from .loader import compiled, writable


def overlapping(tree: Tree, world: Index, lower: Array, upper: Array) -> Iterator[Pairs]:
    """Do as `Tree.around`."""
    size = 8 * world.size + BLOCK
    query = [writable(world), writable(lower), writable(upper)]
    while True:
        number, row = np.empty(size, dtype=np.intp), np.empty(size, dtype=np.intp)
        found = around(tree.boxes, tree.starts, tree.rows, *query, number, row)
        if found <= size:
            break
        size = found
    for start in range(0, found, BLOCK):
        some = slice(start, min(start + BLOCK, found))
        yield number[some], row[some]


@compiled
def around(
    boxes: Any, starts: Any, order: Any, world: Any, lower: Any, upper: Any, number: Any, row: Any
) -> int:
    """Fill `number` and `row` with pairs of a box (n, 3), in its world, and a shape, as they fit.

    Returns how many there are.
    """
    groups, levels = np.empty(512, dtype=np.int64), np.empty(512, dtype=np.int64)
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
            box = boxes[here, starts[level] + group]
            for child in range(GROUP):
                # Where a group has fewer than others, its boxes end before they begin.
                if (
                    box[0, child] <= box[3, child]
                    and box[0, child] <= ux
                    and lx <= box[3, child]
                    and box[1, child] <= uy
                    and ly <= box[4, child]
                    and box[2, child] <= uz
                    and lz <= box[5, child]
                ):
                    if level:
                        groups[waiting], levels[waiting] = group * GROUP + child, level - 1
                        waiting += 1
                    else:
                        if found < number.size:
                            number[found], row[found] = one, order[here, group * GROUP + child]
                        found += 1
    return found
