# SPDX-License-Identifier: Apache-2.0
"""Distances, closest points and contacts of two 3D shapes."""

from __future__ import annotations

import math
from typing import Any, Iterator, NamedTuple

from .convex.depth import penetration
from .convex.distance import nearest
from .convex.minkowski import Pairing
from .convex.vectors import Vec, along, dot, minus, scaled, unit
from .faces import overlap


class Separation(NamedTuple):
    """Distance or penetration depth of two shapes in the world frame, in 2D or 3D."""

    distance: float
    """Distance [m]; a negative one is a penetration depth."""
    normal: Any
    """Unit vector from the first to the second."""
    first: Any
    """Point of the first shape that is nearest to the second, or deepest inside it."""
    second: Any
    """Point of the second shape that is nearest to the first, or deepest inside it."""


def separation(a: Any, b: Any) -> Separation:
    """Returns the smallest distance, or the greatest depth, between the pieces of two shapes."""
    best: Separation | None = None
    for piece, other in _pairs(a, b):
        if best is not None and _apart(piece, other) > max(best.distance, 0.0):
            continue
        found = piece_separation(piece, other)
        if best is None or found.distance < best.distance:
            best = found
    assert best is not None  # shapes have pieces
    if best.distance > 0.0 and (a._encloses(b) or b._encloses(a)):
        return best._replace(distance=-best.distance)  # inside a mesh, clear of its triangles
    return best


def meetings(a: Any, b: Any, touch: float) -> Iterator[tuple[Vec, list[tuple[Vec, float]]]]:
    """Yields the normals, points and depths where the pieces of two shapes meet."""
    for piece, other in _pairs(a, b):
        if _apart(piece, other) > touch:
            continue
        found = piece_separation(piece, other)
        if found.distance <= touch:
            yield found.normal, overlap(piece, other, found, touch)


def _pairs(a: Any, b: Any) -> Iterator[tuple[Any, Any]]:
    """Yields pairs of convex pieces of two shapes, near ones first."""
    firsts, seconds = list(a._pieces(b)), list(b._pieces(a))
    pairs = [(piece, other) for piece in firsts for other in seconds]
    if len(pairs) > 1:
        pairs.sort(key=lambda pair: _apart(*pair))
    yield from pairs


def _apart(a: Any, b: Any) -> float:
    """Returns a lower bound on the distance between two pieces, from the balls around them."""
    return float(math.dist(*(one._ball()[0] for one in (a, b))) - a._ball()[1] - b._ball()[1])


def piece_separation(a: Any, b: Any) -> Separation:
    """Returns the separation of two convex pieces or planes."""
    if a._is_plane:
        return _turned(_to_plane(b, a))
    if b._is_plane:
        return _to_plane(a, b)
    size = a._size + b._size
    if b._is_point:
        cores = _to_point(a, b, size)
    elif a._is_point:
        cores = _turned(_to_point(b, a, size))
    else:
        near = nearest(Pairing(a, b), size)
        length = math.hypot(*near.gap)
        if length > 1e-10 * size:
            normal = scaled(near.gap, -1.0 / length)
            cores = Separation(length, normal, near.first, near.second)
        else:
            cores = _depth(a, b, size)
    return Separation(
        cores.distance - a._rounding - b._rounding,
        cores.normal,
        along(cores.first, a._rounding, cores.normal),
        along(cores.second, -b._rounding, cores.normal),
    )


def _to_point(a: Any, b: Any, size: float) -> Separation:
    """Returns the separation between the core of a piece and a core that is a point."""
    point = b._far_point((1.0, 0.0, 0.0))
    if a._is_point:
        away = minus(point, a._far_point((1.0, 0.0, 0.0)))
        distance, normal = math.hypot(*away), unit(away)
    else:
        distance, normal = a._toward(point)
        if distance <= 1e-10 * size:
            return _depth(a, b, size)
    return Separation(distance, normal, along(point, -distance, normal), point)


def _depth(a: Any, b: Any, size: float) -> Separation:
    deep = penetration(Pairing(a, b), size)
    return Separation(-deep.depth, deep.direction, deep.first, deep.second)


def _turned(found: Separation) -> Separation:
    """Returns the separation with both shapes swapped."""
    return Separation(found.distance, scaled(found.normal, -1.0), found.second, found.first)


def _to_plane(a: Any, plane: Any) -> Separation:
    """Returns the separation of a piece and a half space, or of two half spaces."""
    out, middle = plane._normal_there(), plane._frame.origin
    normal = scaled(out, -1.0)
    if a._is_plane:
        back, start = a._normal_there(), a._frame.origin
        if dot(out, back) > -1.0 + 1e-15:
            return Separation(-math.inf, unit(minus(back, out)), start, middle)
        distance = dot(minus(start, middle), out)
        return Separation(distance, normal, start, along(start, -distance, out))
    low = along(a._far_point(normal), a._rounding, normal)
    distance = dot(minus(low, middle), out)
    return Separation(distance, normal, low, along(low, -distance, out))
