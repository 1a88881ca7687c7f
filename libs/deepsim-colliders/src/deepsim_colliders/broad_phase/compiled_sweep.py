# SPDX-License-Identifier: Apache-2.0
"""Overlapping boxes of a set, by a sweep along one axis, compiled."""

from __future__ import annotations

from functools import partial
from typing import Any, Iterator

import numpy as np

from deepsim_colliders._numba import compiled
from deepsim_colliders._rows import Array

from .blocks import Pairs, filled


def swept(lower: Array, upper: Array) -> Iterator[Pairs]:
    """Yields pairs of boxes (worlds, n, 3) of one world, numbered over all; the lower one first."""
    axis = longest(lower)
    order = np.argsort(lower[:, :, axis], axis=1)
    return filled(partial(sweep, lower, upper, axis, order), 2 * order.size)


@compiled
def longest(places: Any) -> int:
    """Returns the axis along which finite places, (worlds, n, 3), lie farthest apart."""
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
    """Fills `first` and `second` with pairs of boxes that overlap, as they fit.

    Sweep and prune (Baraff 1992): in the order in which boxes begin along the axis, each overlaps
    some of those after it, up to the one that begins behind its end.

    Returns how many there are.
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
            if not begin[0, place] <= last:  # it meets nothing
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
