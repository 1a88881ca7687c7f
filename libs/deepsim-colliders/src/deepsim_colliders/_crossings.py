# SPDX-License-Identifier: Apache-2.0
"""Crossings of lines, or of moving balls, and a shape, in its frame and in 2D or 3D."""

from __future__ import annotations

import math
from typing import Any, Callable, NamedTuple, Sequence, Tuple

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


Array = NDArray[np.float64]
Gaps = Callable[[NDArray[np.intp], Array], Tuple[Array, Array]]

_STEPS = 100


def first_piece(
    origin: Sequence[float],
    direction: Sequence[float],
    times: Array,
    covers: Callable[[Array], NDArray[np.bool_]],
) -> tuple[float, float]:
    """Returns the start and end of the first connected piece of a ray inside a shape.

    Args:
        origin: start of the ray.
        direction: of any length, which is the unit of t.
        times: all t >= 0 at which the ray meets the surface, in order, at least one; if the ray
            starts inside, the first is 0.
        covers: function of points (d, n) that returns whether they are in the shape.
    """
    middles = 0.5 * (times[1:] + times[:-1])
    within = covers(np.array(origin)[:, np.newaxis] + np.outer(direction, middles))
    within |= np.diff(times) <= 1e-12 * times[1:]
    return float(times[0]), float(times[int(np.argmin(np.append(within, False)))])


def cross_boxes(origin: Any, direction: Any, half: Any) -> tuple[Array, Array]:
    """Returns start and end of many lines in their boxes, with the steps of `cross_box`.

    Arguments have one array per dimension. For misses, the start is after the end.
    """
    start: Any = -np.inf
    end: Any = np.inf
    with np.errstate(divide="ignore", invalid="ignore"):
        for o, d, h in zip(origin, direction, half):
            first, last = (-h - o) / d, (h - o) / d
            first, last = np.minimum(first, last), np.maximum(first, last)
            parallel = d == 0.0
            if parallel.any():
                within = np.where(np.abs(o) <= h, -np.inf, np.inf)
                first, last = np.where(parallel, within, first), np.where(parallel, -within, last)
            start, end = np.maximum(start, first), np.minimum(end, last)
    return start, end


def cross_balls(origin: Any, direction: Any, radius: Any) -> tuple[Array, Array]:
    """Returns start and end of many lines in balls, with the steps of `cross_ball`.

    Arguments have one array per dimension. For misses, the start is after the end.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        square = sum(d * d for d in direction)
        middle = -sum(o * d for o, d in zip(origin, direction)) / square
        gap = sum((o + middle * d) ** 2 for o, d in zip(origin, direction))
        reach = np.sqrt((radius * radius - gap) / square)  # NaN for misses
        start, end = middle - reach, middle + reach
        standing = square == 0.0
        if np.any(standing):
            within = sum(o * o for o in origin) <= radius * radius
            start = np.where(standing, np.where(within, -np.inf, np.inf), start)
            end = np.where(standing, -start, end)
    missed = np.isnan(start)
    return np.where(missed, np.inf, start), np.where(missed, -np.inf, end)


def advance(gaps: Gaps, origins: Array, directions: Array, radii: Array, farthest: Array) -> Array:
    """Returns the distances at which moving balls meet convex pieces; infinity for misses.

    The distance from a convex piece is a convex function along a ray, so that Newton's steps from
    outside never pass the first meeting (conservative advancement).

    Args:
        gaps: function of numbers of rays and of one point on each (k, d), which returns the
            distances (k,) of the points from the piece of the ray, and unit vectors away from it.
        origins: starts of the rays, (n, d) [m].
        directions: unit vectors, (n, d); in 2D they may be shorter, even zero.
        radii: radii of the balls, (n,) [m].
        farthest: limits of the distances, (n,) [m].
    """
    travelled = np.zeros(len(origins))
    live = np.arange(len(origins))
    for _ in range(_STEPS):
        points = origins[live] + travelled[live, np.newaxis] * directions[live]
        distance, away = gaps(live, points)
        distance = distance - radii[live]
        closing = -(away * directions[live]).sum(axis=1)
        rounding = 1e-15 * (np.abs(points).max(axis=1, initial=0.0) + radii[live])
        going = distance > np.maximum(1e-13 * radii[live], rounding)
        missed = going & ~(closing > 0.0)
        travelled[live[missed]] = np.inf
        going &= ~missed
        live = live[going]
        travelled[live] += distance[going] / closing[going]
        beyond = travelled[live] > farthest[live]
        travelled[live[beyond]] = np.inf
        live = live[~beyond]
        if not live.size:
            break
    return travelled
