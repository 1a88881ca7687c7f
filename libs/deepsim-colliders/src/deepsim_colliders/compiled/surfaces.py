# SPDX-License-Identifier: Apache-2.0
"""Points and normals where rays enter shapes, compiled: as `rays.hits`, with its roundings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from deepsim_colliders._numba import compiled
from deepsim_colliders._shape import BOX


@compiled
def surfaces(
    solids: Any,
    kinds: Any,
    flat: bool,
    origins: Any,
    directions: Any,
    nearest: Any,
    row: Any,
    distance: Any,
    points: Any,
    normals: Any,
) -> None:
    """Fills `points` and `normals`, (n, 3), of rays (3, n) that enter shape `row` at `distance`."""
    local, out = np.empty(3), np.empty(3)
    for ray in range(row.size):
        which, at = row[ray], distance[ray]
        for k in range(3):
            points[ray, k] = normals[ray, k] = np.nan
        if which < 0:
            continue
        for k in range(3):
            points[ray, k] = origins[k, ray] + at * directions[k, ray]
        if at == nearest[ray]:
            continue
        x, y = points[ray, 0] - solids[which, 0], points[ray, 1] - solids[which, 1]
        z = 0.0 if flat else points[ray, 2] - solids[which, 2]
        face, most = 0, -np.inf
        for k in range(3):
            axis = 3 + 3 * k
            along = x * solids[which, axis]
            along += y * solids[which, axis + 1]
            along += z * solids[which, axis + 2]
            half = solids[which, 12 + k]
            local[k], out[k] = along, along - min(max(along, -half), half)
            if abs(along) - half > most:
                face, most = k, abs(along) - half
        if kinds[which] == BOX:
            out[:] = 0.0
            out[face] = local[face]
        length = math.sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2])
        nx, ny, nz = out[0] / length, out[1] / length, out[2] / length
        for k in range(3):
            normals[ray, k] = (
                nx * solids[which, 3 + k] + ny * solids[which, 6 + k] + nz * solids[which, 9 + k]
            )
