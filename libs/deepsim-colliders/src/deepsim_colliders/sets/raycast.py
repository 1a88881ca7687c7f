# SPDX-License-Identifier: Apache-2.0
"""Ray casts against all shapes of a snapshot, and their results."""

from __future__ import annotations

import numpy as np

from deepsim_colliders._rows import Array, Flags, Index, Rows
from deepsim_colliders._shape import BOX, GEOMETRY, OTHER
from deepsim_colliders.ray_batches.batch import Nearest, Rays
from deepsim_colliders.ray_batches.distances import distances
from deepsim_colliders.results import AllRayHits, RayHits

from .snapshot import Snapshot


def first_met(now: Snapshot, rays: Rays, asked: Flags | None) -> Nearest:
    """Returns the shape that each ray meets first, among the rows flagged in `asked`."""
    nearest = Nearest(rays.nearest.size)
    bounds, names, some = now.bounds, None, rays
    if now.compiled:
        now.scene.trace(rays, asked, nearest)
        if now.scene.rest is None:
            return nearest
        bounds, names = now.scene.rest, now.scene.slow
        some = rays._replace(farthest=np.minimum(rays.farthest, nearest.distance))
    for ray, row in bounds.along(some):
        row = row if names is None else names[row]
        if asked is not None:
            which = np.flatnonzero(asked[row])
            ray, row = ray[which], row[which]
        nearest.add(ray, row, distances(now.all_rows.take(row), rays.take(ray)))
    return nearest


def first_hits(now: Snapshot, rays: Rays, lead: tuple[int, ...], nearest: Nearest) -> RayHits:
    """Returns the hits of rays on their `nearest` shapes, as arrays of leading shape `lead`."""
    if not now.compiled or now.scene.rest is not None:
        return ray_hits(now.all_rows, rays, lead, nearest.row, nearest.distance)
    width, dimensions = len(rays.origins), len(now.all_rows.center)
    points, normals = now.scene.surfaces(rays, nearest, dimensions)
    return _answer(
        now.all_rows,
        rays,
        lead,
        nearest.row,
        nearest.distance,
        points[:, :width],
        normals[:, :width],
    )


def ray_hits(
    rows: Rows, rays: Rays, lead: tuple[int, ...], row: Index, distances: Array
) -> RayHits:
    """Returns the hits of rays on rows at given distances, as arrays of leading shape `lead`."""
    width, dimensions = len(rays.origins), len(rows.center)
    hits = np.flatnonzero(row >= 0)
    met, some, distance = rows.take(row[hits]), rays.take(hits), distances[hits]
    points = np.full((row.size, width), np.nan)
    points[hits] = (some.origins + distance * some.directions).T
    normals = np.full((row.size, width), np.nan)
    normals[hits, dimensions:] = 0.0
    normals[hits, :dimensions] = _normals(met, some.flat(dimensions), distance).T
    normals[hits[distance == some.nearest]] = np.nan
    return _answer(rows, rays, lead, row, distances, points, normals)


def _answer(
    rows: Rows,
    rays: Rays,
    lead: tuple[int, ...],
    row: Index,
    distances: Array,
    points: Array,
    normals: Array,
) -> RayHits:
    met, width = row >= 0, len(rays.origins)
    return RayHits(
        np.where(met, rows.owner[row], -1).reshape(lead),
        distances.reshape(lead),
        points.reshape(*lead, width),
        normals.reshape(*lead, width),
        (met & (distances == rays.nearest)).reshape(lead),
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
    geometries = np.flatnonzero((rows.kind == GEOMETRY) | (rows.kind == OTHER))
    for leaf in np.unique(rows.leaf[geometries]):
        which = geometries[rows.leaf[geometries] == leaf]
        frames, some = rows.take(which), rays.take(which)
        begin = frames.to_local(some.origins + some.nearest * some.directions)
        turned = frames.turn_to_local(some.directions)
        out[:, which] = rows.shapes[leaf]._normals(np.array(begin).T, np.array(turned).T).T
    with np.errstate(invalid="ignore"):
        return rows.turn_to_world(out / np.sqrt((out * out).sum(axis=0)))


def all_ray_hits(rows: Rows, rays: Rays, found: list[tuple[Index, Index, Array]]) -> AllRayHits:
    """Returns the first hit of each ray on each collider, sorted by ray, distance and row.

    `found` has pairs of a ray and a row, with their distances.
    """
    ray, row, distance = (
        (np.concatenate(column) for column in zip(*found))
        if found
        else (np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp), np.empty(0))
    )
    # Of the shapes of a compound, the first one met counts.
    order = np.lexsort((row, distance, rows.owner[row], ray))
    ray, row, distance = ray[order], row[order], distance[order]
    owner = rows.owner[row]
    first = np.ones(ray.size, dtype=np.bool_)
    first[1:] = (ray[1:] != ray[:-1]) | (owner[1:] != owner[:-1])
    ray, row, distance = ray[first], row[first], distance[first]
    order = np.lexsort((row, distance, ray))
    ray, row, distance = ray[order], row[order], distance[order]
    return AllRayHits(ray, *ray_hits(rows, rays.take(ray), ray.shape, row, distance))
