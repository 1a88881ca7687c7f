# SPDX-License-Identifier: Apache-2.0
"""Cameras: visible shapes, and segmentation pictures."""

from __future__ import annotations

import itertools
import math
from typing import Iterator

import numpy as np

from deepsim_math import Frustum, frustums, quaternions

from ._rows import Array, Flags, Index, Rows
from ._shape import BALL
from .broad_phase.blocks import ragged
from .ray_batches.batch import Nearest, Rays
from .ray_batches.distances import distances
from .results import Segmentation


def seen(rows: Rows, frustum: Frustum) -> Flags:
    """Returns whether balls, and boxes around other shapes, may have a point in the frustum."""
    slack = rows.touch + 1e-13 * (
        np.abs(rows.center).sum(axis=0) + np.abs(np.asarray(frustum.pose.position)).sum()
    )
    answers = np.empty(rows.kind.size, dtype=np.bool_)
    balls, others = np.flatnonzero(rows.kind == BALL), np.flatnonzero(rows.kind != BALL)
    reach = (rows.radius + slack)[balls]
    answers[balls] = frustums.intersects_spheres(frustum, rows.center[:, balls].T, reach)
    endless = np.isinf(rows.reach[others])
    answers[others[endless]] = True
    others = others[~endless]
    boxes = rows.take(others)
    turned = quaternions.from_matrix(boxes.axes.transpose(2, 1, 0))
    poses = np.concatenate([boxes.center.T, turned], axis=1)
    sizes = 2.0 * (boxes.half + boxes.radius + slack[others])
    answers[others] = frustums.intersects_boxes(frustum, poses, sizes.T)
    return answers


_CORNERS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
_EDGES = np.array(
    [(a, b) for a, b in itertools.combinations(range(8), 2) if (a ^ b) in (1, 2, 4)]
).T


def pixel_rays(frustum: Frustum, width: int, height: int) -> tuple[Array, Array]:
    """Returns unit directions (3, height * width) through the centres of pixels, and cosines.

    Pixels are in rows from the upper left corner; the cosines are those of the angles between the
    directions and the view axis.
    """
    side = math.tan(0.5 * frustum.horizontal_fov)
    y = side * (1.0 - (2.0 * np.arange(width) + 1.0) / width)
    z = side * frustum.view_ratio * (1.0 - (2.0 * np.arange(height) + 1.0) / height)
    cosines = 1.0 / np.sqrt(1.0 + y * y + (z * z)[:, np.newaxis])
    local = np.stack([cosines, y * cosines, z[:, np.newaxis] * cosines]).reshape(3, -1)
    directions: Array = quaternions.to_matrix(frustum.pose.orientation) @ local
    return directions, cosines.reshape(-1)


def seen_pixels(
    rows: Rows, frustum: Frustum, width: int, height: int
) -> Iterator[tuple[Index, Index]]:
    """Yields pairs of a pixel and a shape whose box, as seen by the camera, covers its centre.

    Boxes are cut at the near plane, so that a shape beside the camera does not cover all pixels.
    """
    slack = 1e-13 * (np.abs(rows.center).sum(axis=0) + np.abs(frustum.pose.position).sum())
    endless = np.isinf(rows.reach)
    half = rows.half + np.where(endless, 0.0, rows.radius) + 2.0 * rows.touch + slack
    turn = quaternions.to_matrix(frustum.pose.orientation).T
    center = turn @ (rows.center - np.asarray(frustum.pose.position)[:, np.newaxis])
    spans = np.einsum("kl,iln,in->ikn", turn, rows.axes, half)
    corners = center[:, np.newaxis] + np.einsum("ci,ikn->kcn", _CORNERS, spans)

    depth = corners[0] - frustum.near
    a, b = _EDGES
    with np.errstate(all="ignore"):
        part = depth[a] / (depth[a] - depth[b])
        cuts = corners[:, a] + part * (corners[:, b] - corners[:, a])
        cut = (depth[a] < 0.0) != (depth[b] < 0.0)
        x, y, z = np.concatenate(
            [np.where(depth >= 0.0, corners, np.nan), np.where(cut, cuts, np.nan)], axis=1
        )
        side = math.tan(0.5 * frustum.horizontal_fov)
        first_column, last_column = _extent(0.5 - 0.5 * y / (side * x), width)
        first_row, last_row = _extent(0.5 - 0.5 * z / (side * frustum.view_ratio * x), height)
        shown = np.fmin.reduce(x) <= frustum.far
    shown |= endless
    first_column[endless], first_row[endless] = 0, 0
    last_column[endless], last_row[endless] = width - 1, height - 1
    columns = last_column - first_column + 1
    count = np.maximum(columns, 0) * np.maximum(last_row - first_row + 1, 0) * shown
    start = first_row * width + first_column
    for row, number in ragged(np.zeros_like(count), count):
        line, column = np.divmod(number, columns[row])
        yield start[row] + line * width + column, row


def _extent(places: Array, size: int) -> tuple[Index, Index]:
    """Returns the first and last pixel with a centre between the extremes of places (0 .. 1)."""
    # A millionth of a pixel allows for rounding. Without places, the last is before the first.
    low, high = np.fmin.reduce(places) * size - 0.5, np.fmax.reduce(places) * size - 0.5
    first = np.ceil(np.nan_to_num(np.clip(low - 1e-6, 0, size), nan=size))
    last = np.floor(np.nan_to_num(np.clip(high + 1e-6, -1, size - 1), nan=-1))
    return first.astype(np.intp), last.astype(np.intp)


def segment(rows: Rows, frustum: Frustum, height: int, width: int) -> Segmentation:
    """Returns the segmentation picture of the shapes in `rows`."""
    directions, cosines = pixel_rays(frustum, width, height)
    origins = np.asarray(frustum.pose.position)[:, np.newaxis]
    rays = Rays(origins, directions, frustum.near / cosines, frustum.far / cosines)
    nearest = Nearest(cosines.size)
    for pixel, row in seen_pixels(rows, frustum, width, height):
        nearest.add(pixel, row, distances(rows.take(row), rays.take(pixel)))
    ids = np.full(cosines.size, -1, dtype=np.int32)
    hits = nearest.row >= 0
    ids[hits] = rows.owner[nearest.row[hits]]
    depth = nearest.distance * cosines
    return Segmentation(ids.reshape(height, width), depth.reshape(height, width))
