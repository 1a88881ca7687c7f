# SPDX-License-Identifier: Apache-2.0
"""Tests whether boxes, given in the frame of a camera, lie inside its frustum or touch it.

The camera looks along x and sees |y| <= side * x and |z| <= rise * x from near to far. A box has a
centre, a rotation matrix (row by row; its columns are the axes of the box) and half sizes.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def box_inside(
    near: Any, far: Any, side: Any, rise: Any, x: Any, y: Any, z: Any, *matrix_and_halves: Any
) -> Any:
    """Returns whether the box is inside: for each of the six planes, its nearest corner is."""
    (a, b, c, d, e, f, g, h, i), (hx, hy, hz) = matrix_and_halves[:9], matrix_and_halves[9:]
    reach = _reach(a, b, c, hx, hy, hz)
    inside = (near <= x - reach) & (x + reach <= far)
    for across, slope, (k, m, n) in ((y, side, (d, e, f)), (z, rise, (g, h, i))):
        for sign in (1.0, -1.0):
            spread = _reach(
                slope * a - sign * k, slope * b - sign * m, slope * c - sign * n, hx, hy, hz
            )
            inside &= slope * x - sign * across >= spread
    return inside


def box_touches(
    near: Any, far: Any, side: Any, rise: Any, x: Any, y: Any, z: Any, *matrix_and_halves: Any
) -> Any:
    """Returns whether box and frustum have a point in common: no direction separates them.

    The candidate directions are the face normals of both and the cross products of their edges
    (separating axis theorem; Gottschalk, Lin and Manocha 1996). A separating face of the frustum
    or a centre inside it decides most boxes; only the others are tested along all directions.
    """
    rows: list[Any] = list(np.broadcast_arrays(near, far, side, rise, x, y, z, *matrix_and_halves))
    faces: list[tuple[Any, Any, Any]] = [(1.0, 0.0, 0.0)]
    faces += [(rows[2], s, 0.0) for s in (1.0, -1.0)] + [(rows[3], 0.0, s) for s in (1.0, -1.0)]
    touches = np.ones(rows[0].shape, bool)
    for face in faces:
        touches &= _overlap(face, rows)
    near, far, side, rise, x, y, z = rows[:7]
    center = (near <= x) & (x <= far) & (np.abs(y) <= side * x) & (np.abs(z) <= rise * x)
    open_rows = np.flatnonzero(touches & ~center)
    if open_rows.size:
        touches[open_rows] = _no_other_direction_separates([row[open_rows] for row in rows])
    return touches


def _no_other_direction_separates(rows: list[Any]) -> Any:
    side, rise = rows[2], rows[3]
    zero, one = np.zeros_like(side), np.ones_like(side)
    edges = [(zero, one, zero), (zero, zero, one)]
    edges += [(one, s * side, r * rise) for s in (1.0, -1.0) for r in (1.0, -1.0)]
    touches = np.ones(side.shape, bool)
    matrix = rows[7:16]
    for axis in (matrix[0::3], matrix[1::3], matrix[2::3]):
        touches &= _overlap(axis, rows)
        for edge in edges:
            # For parallel edges it is zero or rounding noise, which does no harm.
            touches &= _overlap(_cross(axis, edge), rows)
    return touches


def _overlap(direction: Any, rows: list[Any]) -> Any:
    """Returns whether the projections of box and frustum on a line along `direction` overlap."""
    near, far, side, rise, x, y, z, a, b, c, d, e, f, g, h, i, hx, hy, hz = rows
    nx, ny, nz = direction
    middle = nx * x + ny * y + nz * z
    reach = _reach(
        nx * a + ny * d + nz * g, nx * b + ny * e + nz * h, nx * c + ny * f + nz * i, hx, hy, hz
    )
    spread = side * np.abs(ny) + rise * np.abs(nz)
    high, low = nx + spread, nx - spread
    high = high * np.where(high > 0.0, far, near)
    low = low * np.where(low < 0.0, far, near)
    return (middle - reach <= high) & (low <= middle + reach)


def _reach(a: Any, b: Any, c: Any, hx: Any, hy: Any, hz: Any) -> Any:
    """Returns half the length of a box projected on a line with components a, b, c on its axes."""
    return hx * np.abs(a) + hy * np.abs(b) + hz * np.abs(c)


def _cross(a: Any, b: Any) -> tuple[Any, ...]:
    (ax, ay, az), (bx, by, bz) = a, b
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
