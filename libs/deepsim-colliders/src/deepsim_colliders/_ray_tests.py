# SPDX-License-Identifier: Apache-2.0
"""Many pairs of a ray and a shape at once: the same questions as `Shape._cross_here`.

Each pair is computed by itself, in the same steps whatever it is grouped with: its answer does not
depend on which other pairs a query considers.
"""

from __future__ import annotations

from typing import Any, List, Tuple

import numpy as np

from ._nearest import Nearest
from ._pair_tests import hold
from ._rays import Rays
from ._rows import Array, Rows
from ._shape import BALL, BOX, GEOMETRY, OTHER
from .ray_hits import RayHits

Columns = List[Array]
Interval = Tuple[Array, Array]


def distances(rows: Rows, rays: Rays) -> Array:
    """Where each ray is first in its shape; infinity for nowhere.

    Args:
        rows: shapes of one kind, the k-th for ray k.
        rays: with as many coordinates; directions may be shorter than 1 in 2D, even of no length.
    """
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

        # Few start near enough to be inside.
        far = rows.reach + rows.touch + at
        near = np.flatnonzero(sum(o * o for o in origin) <= far * far * (1.0 + 1e-9))
        if near.size:
            at = at[near]
            begin = [o[near] + at * d[near] for o, d in zip(origin, direction)]
            inside = hold(rows.take(near), begin) & (at <= rays.farthest[near])
            start[near[inside]] = at[inside]
    return start


def ray_hits(rows: Rows, rays: Rays, lead: tuple[int, ...], nearest: Nearest) -> RayHits:
    """Put together the answer for rays of the leading shape `lead`."""
    width, dimensions = len(rays.origins), len(rows.center)
    hits = np.flatnonzero(nearest.row >= 0)
    met, some, distance = rows.take(nearest.row[hits]), rays.take(hits), nearest.distance[hits]
    ids = np.full(nearest.row.size, -1)
    ids[hits] = met.owner
    inside = np.zeros(nearest.row.size, dtype=np.bool_)
    inside[hits] = distance == some.nearest
    points = np.full((nearest.row.size, width), np.nan)
    points[hits] = (some.origins + distance * some.directions).T
    surfaces = np.full((nearest.row.size, width), np.nan)
    surfaces[hits, dimensions:] = 0.0
    surfaces[hits, :dimensions] = _normals(met, some.flat(dimensions), distance).T
    surfaces[inside] = np.nan
    return RayHits(
        ids.reshape(lead),
        nearest.distance.reshape(lead),
        points.reshape(*lead, width),
        surfaces.reshape(*lead, width),
        inside.reshape(lead),
    )


def _normals(rows: Rows, rays: Rays, distance: Array) -> Array:
    """Unit normals of shapes of any kinds where rays enter them, (dimensions, n)."""
    local = np.array(rows.to_local(rays.origins + distance * rays.directions))
    out = local - np.clip(local, -rows.half, rows.half)
    # A box has no radius: its normal is that of the face that the point is on, or nearest to.
    boxes = np.flatnonzero(rows.kind == BOX)
    depth = np.abs(local[:, boxes]) - rows.half[:, boxes]
    face = np.argmax(depth, axis=0)
    out[:, boxes] = 0.0
    out[face, boxes] = local[face, boxes]
    geometries = np.flatnonzero((rows.kind == GEOMETRY) | (rows.kind == OTHER))
    for leaf in np.unique(rows.leaf[geometries]):
        which = geometries[rows.leaf[geometries] == leaf]
        frames, some = rows.take(which), rays.take(which)
        begin = frames.to_local(some.origins + some.nearest * some.directions)
        turned = frames.turn_to_local(some.directions)
        out[:, which] = rows.shapes[leaf]._normals(np.array(begin).T, np.array(turned).T).T
    with np.errstate(invalid="ignore"):
        return rows.turn_to_world(out / np.sqrt((out * out).sum(axis=0)))


def _solids(rows: Rows, origin: Columns, direction: Columns) -> Interval:
    """Start and end of each line in its shape; the start is behind the end for none."""
    if rows.kind[0] == BOX:
        return _slabs(origin, direction, rows.half)
    if rows.kind[0] == BALL:
        return _balls(origin, direction, rows.radius)
    # A capsule is convex: from the first entry into one of its three parts to the last exit.
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
    """Boxes [-half, half] (Kay and Kajiya 1986)."""
    starts, ends = [], []
    for o, d, h in zip(origin, direction, half):
        inverse = 1.0 / d
        middle = -o * inverse
        reach = h * np.abs(inverse)
        start, end = middle - reach, middle + reach
        parallel = np.isinf(inverse)
        if parallel.any():
            within = np.where(np.abs(o) <= h, -np.inf, np.inf)
            start, end = np.where(parallel, within, start), np.where(parallel, -within, end)
        starts.append(start)
        ends.append(end)
    start, end = starts[0], ends[0]
    for other_start, other_end in zip(starts[1:], ends[1:]):
        start, end = np.maximum(start, other_start), np.minimum(end, other_end)
    return start, end


def _balls(origin: Columns, direction: Columns, radius: Array) -> Interval:
    """Balls about the origin, from the point of the line nearest to it: see `cross_ball`."""
    square = sum(d * d for d in direction)
    middle = -sum(o * d for o, d in zip(origin, direction)) / square
    gap = sum((o + middle * d) ** 2 for o, d in zip(origin, direction))
    reach = np.sqrt((radius * radius - gap) / square)  # not a number beside the ball
    start, end = middle - reach, middle + reach
    standing = square == 0.0
    if np.any(standing):
        within = sum(o * o for o in origin) <= radius * radius
        start = np.where(standing, np.where(within, -np.inf, np.inf), start)
        end = np.where(standing, -start, end)
    missed = np.isnan(start)
    return np.where(missed, np.inf, start), np.where(missed, -np.inf, end)


def _geometries(rows: Rows, begin: Columns, direction: Columns) -> tuple[Array, Any]:
    """First distances from `begin`, and whether that is inside; each geometry with all its rays."""
    start = np.empty(rows.leaf.size)
    inside = np.empty(rows.leaf.size, dtype=np.bool_)
    points, steps = np.array(begin).T, np.array(direction).T
    for leaf in np.unique(rows.leaf):
        which = np.flatnonzero(rows.leaf == leaf)
        start[which], inside[which] = rows.shapes[leaf]._enter(points[which], steps[which])
    return start, inside
