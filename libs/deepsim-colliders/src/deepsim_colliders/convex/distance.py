# SPDX-License-Identifier: Apache-2.0
"""Distance between convex shapes: Gilbert, Johnson and Keerthi 1988."""

from __future__ import annotations

import itertools
import math
from typing import Sequence

from .minkowski import Pairing, Witness
from .vectors import Vec, cross, dot, minus, mixed, scaled

_STEPS = 128  # polytopes need about a dozen; round shapes halve the error in each step or better
_RELATIVE = 1e-13
_ROUNDING = 4e-16


def nearest(pair: Pairing, size: float) -> Witness:
    """Returns the closest points of two convex shapes.

    Args:
        pair: the shapes.
        size: size of the larger shape [m]; a gap below 1e-15 of it counts as 0.

    Returns:
        The points, and the vector from the second to the first: (0, 0, 0) if the shapes meet.
    """
    simplex = [pair.far((1.0, 0.0, 0.0))]
    best = simplex[0]
    square, least = dot(best.gap, best.gap), 0.0
    for _ in range(_STEPS):
        v = best.gap
        length = math.sqrt(square)
        if length <= 1e-15 * size:
            return best._replace(gap=(0.0, 0.0, 0.0))
        # Scaled, so that no square under- or overflows in a support function.
        new = pair.far(scaled(v, -1.0 / length))
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
