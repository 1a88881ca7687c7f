# SPDX-License-Identifier: Apache-2.0
"""Rays against all shapes of a snapshot."""

from __future__ import annotations

import numpy as np

from deepsim_colliders._rows import Flags
from deepsim_colliders.rays.distances import distances
from deepsim_colliders.rays.nearest import Nearest
from deepsim_colliders.rays.rays import Rays

from .snapshot import Snapshot


def first_met(now: Snapshot, rays: Rays, asked: Flags | None) -> Nearest:
    """Returns the shape that each ray meets first, of the rows that are asked."""
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
