# SPDX-License-Identifier: Apache-2.0
"""Distance between convex shapes: Gilbert, Johnson and Keerthi 1988.

Vectors are tuples of three floats, which are faster than small arrays.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple, Protocol, Sequence, Tuple

Vec = Tuple[float, float, float]

AXES: tuple[Vec, Vec, Vec] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

_STEPS = 128  # polytopes need about a dozen; round shapes halve the error in each step or better
_RELATIVE = 1e-13
_ROUNDING = 4e-16


def dot(a: Vec, b: Vec) -> float:
    """Returns the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vec, b: Vec) -> Vec:
    """Returns the vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def minus(a: Vec, b: Vec) -> Vec:
    """Returns the difference a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def along(a: Vec, step: float, direction: Vec) -> Vec:
    """Returns the point a + step * direction."""
    return a[0] + step * direction[0], a[1] + step * direction[1], a[2] + step * direction[2]


def scaled(a: Vec, factor: float) -> Vec:
    """Returns the product of a vector and a number."""
    return a[0] * factor, a[1] * factor, a[2] * factor


def unit(a: Vec) -> Vec:
    """Returns the vector at length 1, or the x axis for a zero vector."""
    length = math.hypot(*a)
    return scaled(a, 1.0 / length) if length > 0.0 else AXES[0]


def mixed(weights: Sequence[float], points: Sequence[Vec]) -> Vec:
    """Returns the weighted sum of points."""
    x = y = z = 0.0
    for weight, point in zip(weights, points):
        x += weight * point[0]
        y += weight * point[1]
        z += weight * point[2]
    return x, y, z


class Body(Protocol):
    """A convex core in the world."""

    def _far_point(self, direction: Vec) -> Vec:
        """Returns the farthest point along a direction of any length > 0."""


class Witness(NamedTuple):
    """A point p - q of the difference (`gap`), with its two points p (`first`) and q (`second`)."""

    gap: Vec
    first: Vec
    second: Vec


def nearest(a: Body, b: Body, size: float) -> Witness:
    """Returns the closest points of two convex bodies.

    Args:
        a: one body.
        b: the other one.
        size: size of the larger one [m]; a gap below 1e-15 of it counts as 0.

    Returns:
        The points, and the vector from the second to the first: (0, 0, 0) if the bodies meet.
    """
    simplex = [_farthest(a, b, (1.0, 0.0, 0.0))]
    best = simplex[0]
    square, least = dot(best.gap, best.gap), 0.0
    for _ in range(_STEPS):
        v = best.gap
        length = math.sqrt(square)
        if length <= 1e-15 * size:
            return best._replace(gap=(0.0, 0.0, 0.0))
        # Scaled, so that no square under- or overflows in a support function.
        new = _farthest(a, b, scaled(v, -1.0 / length))
        if square - dot(v, new.gap) <= length * (_RELATIVE * length + _ROUNDING * size):
            break
        if any(new.gap == corner.gap for corner in simplex):
            break
        least = max(least, dot(v, new.gap) / length)
        closer, kept = _closest([*simplex, new])
        found = dot(closer.gap, closer.gap)
        if len(kept) == 4:
            return closer._replace(gap=(0.0, 0.0, 0.0))
        if not found < square:
            # Near a round surface, rounding stops the search early; the proven gap is used.
            return best._replace(gap=scaled(v, least / length))
        best, square, simplex = closer, found, kept
    return best


def _farthest(a: Body, b: Body, direction: Vec) -> Witness:
    """Returns the farthest point of the Minkowski difference {p - q} along a direction."""
    p = a._far_point(direction)
    q = b._far_point((-direction[0], -direction[1], -direction[2]))
    return Witness(minus(p, q), p, q)


def _closest(simplex: Sequence[Witness]) -> tuple[Witness, list[Witness]]:
    """Returns the point of the hull of up to 4 points nearest to 0, and the points that span it.

    The new point, which is the last one, is always among them. Each part of the hull is tried.
    """
    new = simplex[-1]
    best_square, best = dot(new.gap, new.gap), new
    kept: list[Witness] = [new]
    for count in range(1, len(simplex)):
        for others in itertools.combinations(simplex[:-1], count):
            part = [new, *others]
            weights = _WEIGHTS[count]([one.gap for one in part])
            if weights is None:
                continue
            point = mixed(weights, [one.gap for one in part])
            square = dot(point, point)
            if square < best_square or count == 3:
                best_square, kept = square, part
                firsts = mixed(weights, [one.first for one in part])
                best = Witness(point, firsts, mixed(weights, [one.second for one in part]))
    return best, kept


def _on_edge(points: Sequence[Vec]) -> list[float] | None:
    a, b = points
    edge = minus(b, a)
    square = dot(edge, edge)
    t = -dot(a, edge)
    return [1.0 - t / square, t / square] if 0.0 < t < square else None


def _on_triangle(points: Sequence[Vec]) -> list[float] | None:
    a, b, c = points
    normal = cross(minus(b, a), minus(c, a))
    square = dot(normal, normal)
    if square == 0.0:
        return None
    parts = [dot(cross(b, c), normal), dot(cross(c, a), normal), dot(cross(a, b), normal)]
    total = sum(parts)
    if min(parts) <= 0.0 or total <= 0.0:
        return None
    return [part / total for part in parts]


def _in_tetrahedron(points: Sequence[Vec]) -> list[float] | None:
    a, b, c, d = points
    parts = [
        dot(b, cross(c, d)),
        -dot(c, cross(d, a)),
        dot(d, cross(a, b)),
        -dot(a, cross(b, c)),
    ]
    total = sum(parts)
    if total < 0.0:
        parts, total = [-part for part in parts], -total
    if total <= 0.0 or min(parts) < 0.0:
        return None
    return [part / total for part in parts]


# Weights of the corners of a part, by the number of its points besides the new one.
_WEIGHTS = {1: _on_edge, 2: _on_triangle, 3: _in_tetrahedron}
