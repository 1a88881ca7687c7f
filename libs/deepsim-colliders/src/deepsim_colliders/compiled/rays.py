# SPDX-License-Identifier: Apache-2.0
"""Which shape each ray meets first, compiled: the steps of `rays.distances`, with its roundings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from deepsim_colliders._shape import BALL, BOX

from .loader import compiled


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


@compiled
def _meeting(
    kind: int,
    solid: Any,
    ox: float,
    oy: float,
    oz: float,
    dx: float,
    dy: float,
    dz: float,
    at: float,
    farthest: float,
) -> float:
    """Where a ray is first in a shape; infinity for nowhere."""
    x, y, z = ox - solid[0], oy - solid[1], oz - solid[2]
    lx = x * solid[3] + y * solid[4] + z * solid[5]
    ly = x * solid[6] + y * solid[7] + z * solid[8]
    lz = x * solid[9] + y * solid[10] + z * solid[11]
    ex = dx * solid[3] + dy * solid[4] + dz * solid[5]
    ey = dx * solid[6] + dy * solid[7] + dz * solid[8]
    ez = dx * solid[9] + dy * solid[10] + dz * solid[11]
    hx, hy, hz, radius = solid[12], solid[13], solid[14], solid[15]
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
    reach = radius + solid[16]
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
    """Fill `distance` and `row` for rays (3, n), as many for each world."""
    worlds, count = boxes.shape[0], origins.shape[1]
    per_world = count // worlds
    groups, levels = np.empty(256, dtype=np.int64), np.empty(256, dtype=np.int64)
    times, enter = np.empty(256), np.empty(8)
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
        # Near and far planes of a box, and how far rounding may have moved the ray to them.
        nx, px = (3, -pad) if ix < 0.0 else (0, pad)
        ny, py = (4, -pad) if iy < 0.0 else (1, pad)
        nz, pz = (5, -pad) if iz < 0.0 else (2, pad)
        fx, fy, fz = 3 - nx, 5 - ny, 7 - nz
        best, found = np.inf, -1
        groups[0], levels[0], times[0] = 0, starts.size - 2, -np.inf
        waiting = 1
        while waiting:
            waiting -= 1
            if times[waiting] > limit:
                continue
            group, level = groups[waiting], levels[waiting]
            box = boxes[world, starts[level] + group]
            for child in range(8):
                start = max(
                    at,
                    max(
                        (box[nx, child] - px - ox) * ix,
                        max((box[ny, child] - py - oy) * iy, (box[nz, child] - pz - oz) * iz),
                    ),
                )
                end = min(
                    (box[fx, child] + px - ox) * ix,
                    min((box[fy, child] + py - oy) * iy, (box[fz, child] + pz - oz) * iz),
                )
                start *= 1.0 - 1e-14
                enter[child] = start if start <= end * (1.0 + 1e-14) else np.inf
            first = waiting
            for child in range(8):
                time = enter[child]
                if time == np.inf or time > limit:
                    continue
                if level:
                    # The nearest is opened first.
                    place = waiting
                    while place > first and times[place - 1] < time:
                        groups[place], times[place] = groups[place - 1], times[place - 1]
                        levels[place] = levels[place - 1]
                        place -= 1
                    groups[place], levels[place], times[place] = group * 8 + child, level - 1, time
                    waiting += 1
                    continue
                which = order[world, group * 8 + child]
                if which < 0 or not asked[which]:
                    continue
                time = _meeting(
                    kinds[which], solids[which], ox, oy, oz, dx, dy, dz, at, farthest[ray]
                )
                if time < best or (time == best and time < np.inf and which < found):
                    best, found = time, which
                    limit = min(limit, best)
        distance[ray], row[ray] = best, found
