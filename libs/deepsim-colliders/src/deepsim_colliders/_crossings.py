# SPDX-License-Identifier: Apache-2.0
"""Crossings of a line and a shape, in the frame of the shape and in any number of dimensions."""

from __future__ import annotations

import math
from typing import NamedTuple, Sequence


class Crossing(NamedTuple):
    """Interval of t with origin + t * direction in the shape, and the normal at its start.

    The normal is None when a ray starts inside.
    """

    start: float
    end: float
    normal: tuple[float, ...] | None


def cross_box(
    origin: Sequence[float], direction: Sequence[float], half: Sequence[float]
) -> Crossing | None:
    """Crosses the box [-half, half] by slabs (Kay and Kajiya 1986)."""
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
    """Crosses the ball of `radius` about the origin of the frame.

    Measures from the point of the line nearest to the centre, which keeps its accuracy when the ray
    starts far away.
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
