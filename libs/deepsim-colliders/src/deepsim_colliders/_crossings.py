# SPDX-License-Identifier: Apache-2.0
"""Crossings of one or many lines and a shape, in the shape's frame and any number of dimensions."""

from __future__ import annotations

import math
from typing import NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray


class Crossing(NamedTuple):
    """Interval of t in which origin + t * direction lies in a shape, and the normal at its start.

    The normal is None if the ray starts inside.
    """

    start: float
    end: float
    normal: tuple[float, ...] | None


def cross_box(
    origin: Sequence[float], direction: Sequence[float], half: Sequence[float]
) -> Crossing | None:
    """Returns the crossing of the box [-half, half], by slabs (Kay and Kajiya 1986)."""
    start, end = -math.inf, math.inf
    face, side = 0, 0.0
    for axis, (o, d, h) in enumerate(zip(origin, direction, half)):
        if d == 0.0:
            if not abs(o) <= h:
                return None
            continue
        near, far = (-h - o) / d, (h - o) / d
        if near > far:
            near, far = far, near
        if near > start:
            start, face, side = near, axis, -math.copysign(1.0, d)
        end = min(end, far)
    if not start <= end:
        return None
    return Crossing(start, end, tuple(side if axis == face else 0.0 for axis in range(len(half))))


def cross_ball(
    origin: Sequence[float], direction: Sequence[float], radius: float
) -> Crossing | None:
    """Returns the crossing of the ball of `radius` about the origin of the frame.

    Distances are measured from the line's nearest point to the centre, which stays accurate if the
    ray starts far away.
    """
    square = sum(d * d for d in direction)
    if square == 0.0:
        within = math.hypot(*origin) <= radius
        return Crossing(-math.inf, math.inf, tuple(origin)) if within else None
    middle = -sum(o * d for o, d in zip(origin, direction)) / square
    gap = sum((o + middle * d) ** 2 for o, d in zip(origin, direction))
    if not gap <= radius * radius:
        return None
    reach = math.sqrt((radius * radius - gap) / square)
    start = middle - reach
    normal = tuple((o + start * d) / radius for o, d in zip(origin, direction))
    return Crossing(start, middle + reach, normal)


Rows = NDArray[np.float64]


def cross_balls(origins: Rows, directions: Rows, radius: float) -> tuple[Rows, Rows]:
    """Returns the first and last t at which lines (n, d) are in the ball about 0; NaN for misses.

    A line with a zero direction is in the ball for all t, or never.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        square = np.einsum("nd,nd->n", directions, directions)
        middle = -np.einsum("nd,nd->n", origins, directions) / square
        nearest = origins + middle[:, np.newaxis] * directions
        gap = np.einsum("nd,nd->n", nearest, nearest)
        reach = np.sqrt((radius * radius - gap) / square)
        start, end = middle - reach, middle + reach
        still = square == 0.0
        within = np.einsum("nd,nd->n", origins, origins) <= radius * radius
        start[still] = np.where(within[still], -np.inf, np.nan)
        end[still] = np.where(within[still], np.inf, np.nan)
    return start, end


def cross_slab(origins: Rows, directions: Rows, half: float) -> tuple[Rows, Rows]:
    """Returns the first and last t at which 1-D lines (n,) are in [-half, half]; NaN for misses."""
    with np.errstate(divide="ignore", invalid="ignore"):
        one, two = (-half - origins) / directions, (half - origins) / directions
        still = directions == 0.0
        within = np.abs(origins) <= half
        start = np.where(still, np.where(within, -np.inf, np.nan), np.minimum(one, two))
        end = np.where(still, np.where(within, np.inf, np.nan), np.maximum(one, two))
    return start, end
