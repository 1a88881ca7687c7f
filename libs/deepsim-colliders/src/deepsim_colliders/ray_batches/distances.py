# SPDX-License-Identifier: Apache-2.0
"""Array form of `Shape._cross_here`: the distance at which each ray enters its shape.

Each pair is computed by the same steps, however pairs are grouped, so that its result does not
depend on other pairs.
"""

from __future__ import annotations

from typing import Any, List, Tuple

import numpy as np

from deepsim_colliders._rows import Array, Rows
from deepsim_colliders._shape import BALL, BOX, GEOMETRY, OTHER
from deepsim_colliders.pairs.meeting import hold

from .batch import Rays

Columns = List[Array]
Interval = Tuple[Array, Array]


def distances(rows: Rows, rays: Rays) -> Array:
    """Returns the least distance at which each ray is in its shape; infinity if it misses.

    Args:
        rows: shapes of any kinds, the k-th for ray k.
        rays: rays of the same dimensions; in 2D, directions may be shorter than 1, even zero.
    """
    if (rows.kind == rows.kind[:1]).all():
        return _distances(rows, rays) if rows.kind.size else np.empty(0)
    answers = np.empty(rows.kind.size)
    for kind in np.unique(rows.kind):
        which = np.flatnonzero(rows.kind == kind)
        answers[which] = _distances(rows.take(which), rays.take(which))
    return answers


def _distances(rows: Rows, rays: Rays) -> Array:
    """Returns what `distances` returns, for shapes of one kind."""
    origin, direction = rows.to_local(rays.origins), rows.turn_to_local(rays.directions)
    at = rays.nearest
    with np.errstate(all="ignore"):
        if rows.kind[0] in (GEOMETRY, OTHER):
            begin = [o + at * d for o, d in zip(origin, direction)]
            start, inside = _geometries(rows, begin, direction)
            start = np.where(inside, 0.0, start) + at
            return np.where(start <= rays.farthest, start, np.inf)
        start, end = _solids(rows, origin, direction)
        met = (start <= end) & (start >= at) & (start <= rays.farthest)
        start = np.where(met, start, np.inf)

        # Only rays that start near a shape can start inside it.
        far = rows.reach + rows.touch + at
        near = np.flatnonzero(sum(o * o for o in origin) <= far * far * (1.0 + 1e-9))
        if near.size:
            at = at[near]
            begin = [o[near] + at * d[near] for o, d in zip(origin, direction)]
            inside = hold(rows.take(near), begin) & (at <= rays.farthest[near])
            start[near[inside]] = at[inside]
    return start


def _solids(rows: Rows, origin: Columns, direction: Columns) -> Interval:
    """Returns start and end of each line in its shape; for misses, the start is after the end."""
    if rows.kind[0] == BOX:
        return _slabs(origin, direction, rows.half)
    if rows.kind[0] == BALL:
        return _balls(origin, direction, rows.radius)
    # A capsule is convex: from the first entry into any of its three parts to the last exit.
    half = rows.half[2]
    wall = _balls(origin[:2], direction[:2], rows.radius)
    slab = _slabs(origin[2:], direction[2:], [half])
    start, end = np.maximum(wall[0], slab[0]), np.minimum(wall[1], slab[1])
    start, end = np.where(start <= end, start, np.inf), np.where(start <= end, end, -np.inf)
    for cap in (half, -half):
        first, last = _balls([*origin[:2], origin[2] - cap], direction, rows.radius)
        start, end = np.fmin(start, first), np.fmax(end, last)
    return start, end


def _slabs(origin: Columns, direction: Columns, half: Any) -> Interval:
    """Returns crossings of boxes [-half, half] with the steps and roundings of `cross_box`."""
    start: Any = -np.inf
    end: Any = np.inf
    for o, d, h in zip(origin, direction, half):
        first, last = (-h - o) / d, (h - o) / d
        first, last = np.minimum(first, last), np.maximum(first, last)
        parallel = d == 0.0
        if parallel.any():
            within = np.where(np.abs(o) <= h, -np.inf, np.inf)
            first, last = np.where(parallel, within, first), np.where(parallel, -within, last)
        start, end = np.maximum(start, first), np.minimum(end, last)
    return start, end


def _balls(origin: Columns, direction: Columns, radius: Array) -> Interval:
    """Returns crossings of balls about the origin with the steps of `cross_ball`."""
    square = sum(d * d for d in direction)
    middle = -sum(o * d for o, d in zip(origin, direction)) / square
    gap = sum((o + middle * d) ** 2 for o, d in zip(origin, direction))
    reach = np.sqrt((radius * radius - gap) / square)  # NaN for misses
    start, end = middle - reach, middle + reach
    standing = square == 0.0
    if np.any(standing):
        within = sum(o * o for o in origin) <= radius * radius
        start = np.where(standing, np.where(within, -np.inf, np.inf), start)
        end = np.where(standing, -start, end)
    missed = np.isnan(start)
    return np.where(missed, np.inf, start), np.where(missed, -np.inf, end)


def _geometries(rows: Rows, begin: Columns, direction: Columns) -> tuple[Array, Any]:
    """Returns distances from `begin`, and whether rays begin inside their geometry."""
    start = np.empty(rows.leaf.size)
    inside = np.empty(rows.leaf.size, dtype=np.bool_)
    points, steps = np.array(begin).T, np.array(direction).T
    for leaf in np.unique(rows.leaf):
        which = np.flatnonzero(rows.leaf == leaf)
        start[which], inside[which] = rows.shapes[leaf]._enter(points[which], steps[which])
    return start, inside
