# SPDX-License-Identifier: Apache-2.0
"""Ray casts, compiled, with the steps and roundings of `ray_batches` and `sets.raycast`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from deepsim_colliders._numba import compiled, compiled_within
from deepsim_colliders._shape import BALL, BOX


@compiled
def _slab(o: float, d: float, h: float) -> tuple[float, float]:
    if d == 0.0:
        return (-np.inf, np.inf) if abs(o) <= h else (np.inf, -np.inf)
    first, last = (-h - o) / d, (h - o) / d
    return (first, last) if first <= last else (last, first)


@compiled
def _ball(
    x: float, y: float, z: float, dx: float, dy: float, dz: float, radius: float
) -> tuple[float, float]:
    square = dx * dx + dy * dy + dz * dz
    if square == 0.0:
        within = x * x + y * y + z * z <= radius * radius
        return (-np.inf, np.inf) if within else (np.inf, -np.inf)
    middle = -(x * dx + y * dy + z * dz) / square
    gx, gy, gz = x + middle * dx, y + middle * dy, z + middle * dz
    rest = (radius * radius - (gx * gx + gy * gy + gz * gz)) / square
    if not rest >= 0.0:
        return np.inf, -np.inf
    reach = math.sqrt(rest)
    return middle - reach, middle + reach


@compiled_within
def _meeting(
    kind: int,
    solids: Any,
    which: int,
    ox: float,
    oy: float,
    oz: float,
    dx: float,
    dy: float,
    dz: float,
    at: float,
    farthest: float,
) -> float:
    """Returns the least distance at which a ray is in a shape; infinity if it misses."""
    x, y, z = ox - solids[which, 0], oy - solids[which, 1], oz - solids[which, 2]
    lx = x * solids[which, 3] + y * solids[which, 4] + z * solids[which, 5]
    ly = x * solids[which, 6] + y * solids[which, 7] + z * solids[which, 8]
    lz = x * solids[which, 9] + y * solids[which, 10] + z * solids[which, 11]
    ex = dx * solids[which, 3] + dy * solids[which, 4] + dz * solids[which, 5]
    ey = dx * solids[which, 6] + dy * solids[which, 7] + dz * solids[which, 8]
    ez = dx * solids[which, 9] + dy * solids[which, 10] + dz * solids[which, 11]
    hx, hy, hz, radius = solids[which, 12], solids[which, 13], solids[which, 14], solids[which, 15]
    if kind == BOX:
        start, end = _slab(lx, ex, hx)
        first, last = _slab(ly, ey, hy)
        start, end = max(start, first), min(end, last)
        first, last = _slab(lz, ez, hz)
        start, end = max(start, first), min(end, last)
    elif kind == BALL:
        start, end = _ball(lx, ly, lz, ex, ey, ez, radius)
    else:
        start, end = _ball(lx, ly, 0.0, ex, ey, 0.0, radius)
        first, last = _slab(lz, ez, hz)
        start, end = max(start, first), min(end, last)
        if not start <= end:
            start, end = np.inf, -np.inf
        first, last = _ball(lx, ly, lz - hz, ex, ey, ez, radius)
        start, end = min(start, first), max(end, last)
        first, last = _ball(lx, ly, lz + hz, ex, ey, ez, radius)
        start, end = min(start, first), max(end, last)
    gx = max(abs(lx + at * ex) - hx, 0.0)
    gy = max(abs(ly + at * ey) - hy, 0.0)
    gz = max(abs(lz + at * ez) - hz, 0.0)
    reach = radius + solids[which, 16]
    met: float = np.inf
    if gx * gx + gy * gy + gz * gz <= reach * reach and at <= farthest:
        met = at
    elif start <= end and at <= start <= farthest:
        met = start
    return met


@compiled
def trace(
    boxes: Any,
    starts: Any,
    order: Any,
    size: float,
    solids: Any,
    kinds: Any,
    asked: Any,
    origins: Any,
    directions: Any,
    nearest: Any,
    farthest: Any,
    distance: Any,
    row: Any,
) -> None:
    """Writes the distance and row of the first shape that each ray meets, or infinity and -1.

    Rays (3, n) are ordered by world, with equally many in each. Rays that are not finite are
    skipped.
    """
    worlds, count = boxes.shape[0], origins.shape[1]
    per_world, per_tree, width = count // worlds, boxes.shape[1], boxes.shape[3]
    # One flat index, since each nested row would be a counted reference.
    planes = boxes.reshape(-1)
    groups, levels = np.empty(512, dtype=np.int64), np.empty(512, dtype=np.int64)
    times, enter = np.empty(512), np.empty(width)
    opened = np.empty(width + 1, dtype=np.int64)
    for ray in range(count):
        world = ray // per_world
        ox, oy, oz = origins[0, ray], origins[1, ray], origins[2, ray]
        dx, dy, dz = directions[0, ray], directions[1, ray], directions[2, ray]
        at, limit = nearest[ray], farthest[ray]
        if not math.isfinite(ox + oy + oz + dx + dy + dz):
            continue
        pad = 1e-14 * (abs(ox) + abs(oy) + abs(oz) + size)
        ix = math.copysign(1.0 / max(abs(dx), 1e-300), dx)
        iy = math.copysign(1.0 / max(abs(dy), 1e-300), dy)
        iz = math.copysign(1.0 / max(abs(dz), 1e-300), dz)
        # Near and far planes of a box, and the displacement of the ray by rounding.
        nx, px = (3 * width, -pad) if ix < 0.0 else (0, pad)
        ny, py = (4 * width, -pad) if iy < 0.0 else (width, pad)
        nz, pz = (5 * width, -pad) if iz < 0.0 else (2 * width, pad)
        fx, fy, fz = 3 * width - nx, 5 * width - ny, 7 * width - nz
        best, found = np.inf, -1
        groups[0], levels[0], times[0] = 0, starts.size - 2, -np.inf
        waiting = 1
        while waiting:
            waiting -= 1
            if times[waiting] > limit:
                continue
            group, level = groups[waiting], levels[waiting]
            base = (world * per_tree + starts[level] + group) * 6 * width
            # Slices and a length known only at run time let the loop compile to vector
            # instructions. Comparisons are written out, as `max` and `min` handle NaN at a cost.
            low_x, up_x = planes[base + nx :][:width], planes[base + fx :][:width]
            low_y, up_y = planes[base + ny :][:width], planes[base + fy :][:width]
            low_z, up_z = planes[base + nz :][:width], planes[base + fz :][:width]
            for child in range(width):
                start, first = (low_x[child] - px - ox) * ix, (low_y[child] - py - oy) * iy
                start = start if start > first else first
                first = (low_z[child] - pz - oz) * iz
                start = start if start > first else first
                start = start if start > at else at
                start *= 1.0 - 1e-14
                end, last = (up_x[child] + px - ox) * ix, (up_y[child] + py - oy) * iy
                end = end if end < last else last
                last = (up_z[child] + pz - oz) * iz
                end = end if end < last else last
                enter[child] = start if start <= end * (1.0 + 1e-14) else np.nan
            number = 0
            for child in range(width):
                opened[number] = child
                number += 1 if enter[child] <= limit else 0
            lowest, below = waiting, group * width
            for one in range(number):
                child = opened[one]
                time = enter[child]
                if level:
                    # The nearest is opened first.
                    place = waiting
                    while place > lowest and times[place - 1] < time:
                        groups[place], times[place] = groups[place - 1], times[place - 1]
                        place -= 1
                    groups[place], levels[waiting], times[place] = below + child, level - 1, time
                    waiting += 1
                    continue
                which = order[world, below + child]
                if time > limit or which < 0 or not asked[which]:
                    continue
                time = _meeting(
                    kinds[which], solids, which, ox, oy, oz, dx, dy, dz, at, farthest[ray]
                )
                if time < best or (time == best and time < np.inf and which < found):
                    best, found = time, which
                    limit = min(limit, best)
        distance[ray], row[ray] = best, found


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
    """Fills `points` and `normals`, (n, 3), where rays (3, n) enter shapes `row` at `distance`.

    Rays without a hit get NaN in both, and those that start in a shape NaN as the normal.
    """
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
