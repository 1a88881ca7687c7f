# SPDX-License-Identifier: Apache-2.0
"""Convex polygons in the plane, as arrays (n, 2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_DIRECTIONS = np.arange(32) * (np.pi / 16)
_FEW = 64  # up to this many points, a first pass does not pay off


def convex_hull(points: Floats) -> Floats:
    """Returns the corners of the convex hull, counterclockwise, by Andrew's monotone chain.

    For collinear points the corners are the two ends, for equal points that one point.
    """
    if len(points) > _FEW:
        points = _outer(points)
    points = np.unique(points, axis=0)  # sorts by x, then by y
    if len(points) < 3:
        return points
    rows: list[tuple[float, float]] = [(x, y) for x, y in points.tolist()]
    chain = [*_half(rows)[:-1], *_half(rows[::-1])[:-1]]
    return np.array(chain)


def _half(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    chain: list[tuple[float, float]] = []
    for x, y in points:
        while len(chain) > 1:
            (ax, ay), (bx, by) = chain[-2:]
            if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0.0:
                break
            chain.pop()
        chain.append((x, y))
    return chain


def _outer(points: Floats) -> Floats:
    """Removes most inner points by a quick test: those well inside a polygon of extreme points."""
    around = np.column_stack([np.cos(_DIRECTIONS), np.sin(_DIRECTIONS)])
    extreme = points[np.unique((points @ around.T).argmax(axis=0))]
    inner = convex_hull(extreme)
    if len(inner) < 3:
        return points
    return np.concatenate([extreme, points[~contains(inner, points, -1e-12)]])


def contains(polygon: Floats, points: Floats, margin: float = 0.0) -> NDArray[np.bool_]:
    """Returns whether points (n, 2) lie in a counterclockwise convex polygon of >= 3 corners.

    Points may lie outside by `margin`, relative to the polygon's size.
    """
    inside = np.ones(len(points), dtype=np.bool_)
    slack = margin * float(np.ptp(polygon, axis=0).max()) ** 2
    for (ax, ay), (bx, by) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        left = (bx - ax) * (points[:, 1] - ay) - (by - ay) * (points[:, 0] - ax)
        inside &= left >= -slack
    return inside
