# SPDX-License-Identifier: Apache-2.0
"""Distances from many points or lines to the nearest shape, and balls that move along rays."""

from __future__ import annotations

import numpy as np

from deepsim_colliders._crossings import advance, cross_boxes
from deepsim_colliders._shape import BOX
from deepsim_colliders.results import RayHits

from .meeting import segments_to_boxes
from .raycast import answer, distances
from .rows import Array, Flags, Index, Nearest, Rays, Rows
from .snapshot import Snapshot


def clearances(
    now: Snapshot,
    starts: Array,
    steps: Array | None,
    radii: Array,
    limits: Array,
    asked: Flags | None,
) -> tuple[Index, Array]:
    """Returns the nearest id and the distance of each capsule; -1 and infinity beyond a limit.

    Args:
        now: the shapes.
        starts: starts of the central lines, shape (worlds, p, dimensions) [m].
        steps: vectors from the starts to the ends; None for balls.
        radii: shape (worlds, p) [m].
        limits: greatest distances of interest, shape (worlds, p) [m].
        asked: rows of interest; None for all.
    """
    middles, widths, reach = starts, 0.0 * radii, limits + radii
    if steps is not None:
        middles, widths = starts + 0.5 * steps, 0.5 * np.linalg.norm(steps, axis=2)
        steps = steps.reshape(radii.size, starts.shape[2]).T
    columns, nearest = starts.reshape(radii.size, starts.shape[2]).T, Nearest(radii.size)
    for line, row in now.nearest(middles, widths, reach, asked):
        ways = None if steps is None else steps[:, line]
        found = _gaps_of_lines(now.all_rows.take(row), columns[:, line], ways)
        found[~(found <= reach.reshape(-1)[line])] = np.inf
        nearest.add(line, row, found)
    ids = np.where(nearest.row >= 0, now.all_rows.owner[nearest.row], -1)
    return ids, np.maximum(nearest.distance - radii.reshape(-1), 0.0)


def _gaps_of_lines(rows: Rows, starts: Array, steps: Array | None) -> Array:
    """Returns the distance between each line, or point, and its shape [m].

    Arguments have one column for each shape.
    """
    if steps is None:
        return np.asarray(np.maximum(_gaps(rows, starts)[0], 0.0))
    start, step = np.array(rows.to_local(starts)), np.array(rows.turn_to_local(steps))
    gaps = segments_to_boxes(start, step, rows.half) - rows.radius
    for which, shape in rows.special():
        gaps[which] = shape._line_gaps(start[:, which].T, (start + step)[:, which].T)
    return np.asarray(np.maximum(gaps, 0.0))


def first_meetings(
    now: Snapshot, rays: Rays, radii: Array, lead: tuple[int, ...], asked: Flags | None
) -> RayHits:
    """Returns where balls that move along rays first meet a shape."""
    dimensions = len(now.all_rows.center)
    flat, nearest = rays.flat(dimensions), Nearest(radii.size)
    widest = float(radii.max(initial=0.0))
    for ray, row in now.along(flat, asked, widest):
        rows = now.all_rows.take(row)
        nearest.add(ray, row, _meetings(rows, flat.take(ray), radii[ray]))
    hits = np.flatnonzero(nearest.row >= 0)
    some, rows = flat.take(hits), now.all_rows.take(nearest.row[hits])
    places = rays.take(hits).origins + nearest.distance[hits] * rays.take(hits).directions
    gap, away = _gaps(rows, some.origins + nearest.distance[hits] * some.directions)
    points, normals = (np.full((radii.size, len(rays.origins)), np.nan) for _ in range(2))
    places[:dimensions] -= np.maximum(gap, 0.0) * away
    points[hits] = places.T
    normals[hits, dimensions:] = 0.0
    normals[hits, :dimensions] = away.T
    normals[hits[nearest.distance[hits] == some.nearest]] = np.nan
    return answer(now.all_rows, rays, lead, nearest, points, normals)


def _gaps(rows: Rows, points: Array) -> tuple[Array, Array]:
    """Returns the distance of each point (dimensions, n) from its shape, and the way away from it.

    The ways are unit vectors in the world frame, or 0 where a point is in the core of a shape.
    """
    local = np.array(rows.to_local(points))
    away = local - np.clip(local, -rows.half, rows.half)
    gaps = np.sqrt((away * away).sum(axis=0))
    with np.errstate(invalid="ignore"):
        away = np.nan_to_num(away / gaps)
    gaps = gaps - rows.radius
    for which, shape in rows.special():
        gaps[which], away_there = shape._gaps(local[:, which].T)
        away[:, which] = away_there.T
    return gaps, rows.turn_to_world(away)


def _meetings(rows: Rows, rays: Rays, radii: Array) -> Array:
    """Returns the distance at which each ball meets its shape; infinity for misses."""
    found = np.full(radii.size, np.inf)
    simple = np.flatnonzero(rows.kind < BOX)
    # A ball meets a ball or capsule where its centre meets a wider one.
    wide = rows._replace(radius=rows.radius + radii, reach=rows.reach + radii).take(simple)
    found[simple] = distances(wide, rays.take(simple))
    rest = np.flatnonzero(rows.kind >= BOX)
    rows, rays, radii = rows.take(rest), rays.take(rest), radii[rest]
    start, limits = np.full(rest.size, np.inf), rays.farthest
    touching = _gaps(rows, rays.origins)[0] <= radii + rows.touch
    start[touching] = 0.0
    apart = np.flatnonzero(~touching)
    rows, rays, radii = rows.take(apart), rays.take(apart), radii[apart]
    origins = np.array(rows.to_local(rays.origins)).T
    steps = np.array(rows.turn_to_local(rays.directions)).T
    boxes = np.flatnonzero(rows.kind == BOX)
    start[apart[boxes]] = _meet_boxes(
        rows.half[:, boxes].T, origins[boxes], steps[boxes], radii[boxes], rays.farthest[boxes]
    )
    for which, shape in rows.special():
        start[apart[which]] = shape._sweep(
            origins[which], steps[which], radii[which], rays.farthest[which]
        )
    start[start > limits] = np.inf
    found[rest] = start
    return found


def _meet_boxes(half: Array, origins: Array, steps: Array, radii: Array, limits: Array) -> Array:
    """Returns the distances of `advance` for boxes [-half, half]; arrays have shape (n, d)."""
    # Balls that meet a face arrive where their centres enter a larger box; others, later.
    first, last = cross_boxes(origins.T, steps.T, (half + radii[:, np.newaxis]).T)
    first = np.maximum(first, 0.0)
    some = np.flatnonzero((first <= last) & (first <= limits))

    def gaps(which: Index, points: Array) -> tuple[Array, Array]:
        box = half[some[which]]
        away = points - np.clip(points, -box, box)
        distance = np.sqrt((away * away).sum(axis=1))
        return distance, away / np.maximum(distance, 1e-300)[:, np.newaxis]

    found = np.full(len(radii), np.inf)
    entered = origins[some] + first[some, np.newaxis] * steps[some]
    found[some] = first[some] + advance(
        gaps, entered, steps[some], radii[some], limits[some] - first[some]
    )
    return found
