# SPDX-License-Identifier: Apache-2.0
"""Pixels of a picture and the shapes that they may show."""

from __future__ import annotations

import itertools
import math
from typing import Iterator

import numpy as np

from deepsim_colliders._rows import Array, Index, Rows
from deepsim_colliders.broad_phase.blocks import ragged
from deepsim_colliders.cameras.segmentation import Segmentation
from deepsim_colliders.rays.distances import distances
from deepsim_colliders.rays.nearest import Nearest
from deepsim_colliders.rays.rays import Rays
from deepsim_math import Frustum, quaternions

_CORNERS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
_EDGES = np.array(
    [(a, b) for a, b in itertools.combinations(range(8), 2) if (a ^ b) in (1, 2, 4)]
).T


def pixel_rays(frustum: Frustum, width: int, height: int) -> tuple[Array, Array]:
    """Returns unit directions (3, height * width) through the middles of pixels, and cosines.

    Row by row from the upper left corner; the cosine is that of the angle to the view's axis.
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
    """Yields pairs of a pixel and a shape whose box, as the camera sees it, covers its middle.

    The box is cut at the near plane, so that what passes the camera does not count as all around.
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
    """Returns the first and last pixel whose middle is within the extremes of places 0 .. 1."""
    # A millionth of a pixel allows for rounding. Without any place the last is before the first.
    low, high = np.fmin.reduce(places) * size - 0.5, np.fmax.reduce(places) * size - 0.5
    first = np.ceil(np.nan_to_num(np.clip(low - 1e-6, 0, size), nan=size))
    last = np.floor(np.nan_to_num(np.clip(high + 1e-6, -1, size - 1), nan=-1))
    return first.astype(np.intp), last.astype(np.intp)


def segment(rows: Rows, frustum: Frustum, height: int, width: int) -> Segmentation:
    """Returns the picture that a camera takes of some rows."""
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
