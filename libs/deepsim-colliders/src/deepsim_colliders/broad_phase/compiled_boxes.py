# SPDX-License-Identifier: Apache-2.0
"""Overlapping boxes, compiled: by a tree, or by a sweep along one axis."""

from __future__ import annotations

from functools import partial
from typing import Any, Iterator

import numpy as np

from deepsim_colliders._numba import compiled, writable
from deepsim_colliders._rows import Array, Index

from .blocks import BLOCK, Pairs, filled
from .tree import Tree


def overlapping(tree: Tree, world: Index, lower: Array, upper: Array) -> Iterator[Pairs]:
    """Yields the pairs of `Tree.around`."""
    query = [writable(world), writable(lower), writable(upper)]
    fill = partial(around, tree.boxes, tree.starts, tree.rows, *query)
    return filled(fill, 8 * world.size + BLOCK)


@compiled
def around(
    boxes: Any, starts: Any, order: Any, world: Any, lower: Any, upper: Any, number: Any, row: Any
) -> int:
    """Finds the shapes whose boxes overlap each query box (n, 3), in the world of the query.

    Fills `number` and `row` with as many pairs as fit, and returns the number of all pairs.
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
            # As in `raycast.trace`, for the sake of vector instructions.
            base = (here * per_tree + starts[level] + group) * 6 * width
            low_x, up_x = planes[base:][:width], planes[base + 3 * width :][:width]
            low_y, up_y = planes[base + width :][:width], planes[base + 4 * width :][:width]
            low_z, up_z = planes[base + 2 * width :][:width], planes[base + 5 * width :][:width]
            for child in range(width):
                # The empty boxes that pad a group end before they begin.
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


def swept(lower: Array, upper: Array) -> Iterator[Pairs]:
    """Yields pairs of overlapping boxes (worlds, n, 3), numbered over all worlds, in order."""
    axis = longest(lower)
    order = np.argsort(lower[:, :, axis], axis=1)
    return filled(partial(sweep, lower, upper, axis, order), 2 * order.size)


@compiled
def longest(places: Any) -> int:
    """Returns the axis along which finite places (worlds, n, 3) spread the most."""
    best, chosen = -1.0, 0
    for axis in range(3):
        least, greatest = np.inf, -np.inf
        for world in range(places.shape[0]):
            for row in range(places.shape[1]):
                place = places[world, row, axis]
                if np.isfinite(place):
                    least, greatest = min(least, place), max(greatest, place)
        if greatest - least > best:
            best, chosen = greatest - least, axis
    return chosen


@compiled
def sweep(lower: Any, upper: Any, axis: int, order: Any, first: Any, second: Any) -> int:
    """Returns the number of pairs of overlapping boxes; fills `first` and `second` with them.

    Sweep and prune (Baraff 1992): ordered by their beginnings along the axis, each box is compared
    with those after it, up to the first that begins beyond its end.
    """
    worlds, count = order.shape
    begin, end = np.empty((3, count)), np.empty((3, count))
    found = 0
    for world in range(worlds):
        for side in range(3):
            for place in range(count):
                row = order[world, place]
                begin[side, place] = lower[world, row, (axis + side) % 3]
                end[side, place] = upper[world, row, (axis + side) % 3]
        for place in range(count):
            last = end[0, place]
            if not begin[0, place] <= last:  # meets nothing
                continue
            for later in range(place + 1, count):
                if begin[0, later] > last:
                    break
                if (
                    begin[1, later] <= end[1, place]
                    and begin[1, place] <= end[1, later]
                    and begin[2, later] <= end[2, place]
                    and begin[2, place] <= end[2, later]
                    and begin[0, later] <= end[0, later]
                ):
                    if found < first.size:
                        one, two = order[world, place], order[world, later]
                        first[found] = world * count + min(one, two)
                        second[found] = world * count + max(one, two)
                    found += 1
    return found
