# SPDX-License-Identifier: Apache-2.0
"""Ray casts against all shapes of a snapshot.

Each pair of a ray and a shape is computed by the same steps, however pairs are grouped, so that its
result does not depend on other pairs.
"""

from __future__ import annotations

from typing import Any, List, Tuple

import numpy as np

from deepsim_colliders._crossings import cross_balls, cross_boxes
from deepsim_colliders._shape import BALL, BOX
from deepsim_colliders.results import RayHits

from .meeting import hold
from .rows import Array, Flags, Nearest, Rays, Rows
from .snapshot import Snapshot

Columns = List[Array]
Interval = Tuple[Array, Array]


def first_hits(now: Snapshot, rays: Rays, lead: tuple[int, ...], asked: Flags | None) -> RayHits:
    """Returns the first hits of rays, as arrays of leading shape `lead`, among the asked rows."""
    dimensions = len(now.all_rows.center)
    flat, nearest = rays.flat(dimensions), Nearest(rays.nearest.size)
    for ray, row in now.along(flat, asked):
        nearest.add(ray, row, distances(now.all_rows.take(row), flat.take(ray)))
    hits = np.flatnonzero(nearest.row >= 0)
    rows, some, distance = now.all_rows.take(nearest.row[hits]), rays.take(hits), nearest.distance
    points, normals = (np.full((distance.size, len(rays.origins)), np.nan) for _ in range(2))
    points[hits] = (some.origins + distance[hits] * some.directions).T
    normals[hits, dimensions:] = 0.0
    normals[hits, :dimensions] = _normals(rows, some.flat(dimensions), distance[hits]).T
    normals[hits[distance[hits] == some.nearest]] = np.nan
    return answer(now.all_rows, rays, lead, nearest, points, normals)


def answer(
    rows: Rows,
    rays: Rays,
    lead: tuple[int, ...],
    nearest: Nearest,
    points: Array,
    normals: Array,
) -> RayHits:
    """Returns the hits of rays as arrays of leading shape `lead`; row -1 stands for a miss."""
    met, width = nearest.row >= 0, len(rays.origins)
    return RayHits(
        np.where(met, rows.owner[nearest.row], -1).reshape(lead),
        nearest.distance.reshape(lead),
        points.reshape(*lead, width),
        normals.reshape(*lead, width),
        (met & (nearest.distance == rays.nearest)).reshape(lead),
    )


def _normals(rows: Rows, rays: Rays, distance: Array) -> Array:
    """Returns the unit normals (dimensions, n) of shapes of any kinds where rays enter them."""
    local = np.array(rows.to_local(rays.origins + distance * rays.directions))
    out = local - np.clip(local, -rows.half, rows.half)
    # A box has no radius: its normal is that of the face nearest to the point.
    boxes = np.flatnonzero(rows.kind == BOX)
    depth = np.abs(local[:, boxes]) - rows.half[:, boxes]
    face = np.argmax(depth, axis=0)
    out[:, boxes] = 0.0
    out[face, boxes] = local[face, boxes]
    for which, shape in rows.special():
        frames, some = rows.take(which), rays.take(which)
        begin = frames.to_local(some.origins + some.nearest * some.directions)
        turned = frames.turn_to_local(some.directions)
        out[:, which] = shape._normals(np.array(begin).T, np.array(turned).T).T
    with np.errstate(invalid="ignore"):
        return rows.turn_to_world(out / np.sqrt((out * out).sum(axis=0)))


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
        if rows.kind[0] > BOX:
            begin = [o + at * d for o, d in zip(origin, direction)]
            start, inside = _special(rows, begin, direction)
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
        return cross_boxes(origin, direction, rows.half)
    if rows.kind[0] == BALL:
        return cross_balls(origin, direction, rows.radius)
    # A capsule is convex: from the first entry into any of its three parts to the last exit.
    half = rows.half[2]
    wall = cross_balls(origin[:2], direction[:2], rows.radius)
    slab = cross_boxes(origin[2:], direction[2:], [half])
    start, end = np.maximum(wall[0], slab[0]), np.minimum(wall[1], slab[1])
    start, end = np.where(start <= end, start, np.inf), np.where(start <= end, end, -np.inf)
    for cap in (half, -half):
        first, last = cross_balls([*origin[:2], origin[2] - cap], direction, rows.radius)
        start, end = np.fmin(start, first), np.fmax(end, last)
    return start, end


def _special(rows: Rows, begin: Columns, direction: Columns) -> tuple[Array, Any]:
    """Returns distances from `begin`, and whether rays begin inside their shape."""
    start, inside = np.empty(rows.leaf.size), np.empty(rows.leaf.size, dtype=np.bool_)
    points, steps = np.array(begin).T, np.array(direction).T
    for which, shape in rows.special():
        start[which], inside[which] = shape._enter(points[which], steps[which])
    return start, inside
