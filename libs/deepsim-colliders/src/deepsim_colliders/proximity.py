# SPDX-License-Identifier: Apache-2.0
"""Distances and closest points of two shapes."""

from __future__ import annotations

import math
from typing import Any, Iterator, NamedTuple, Sequence

from ._gjk import Vec, along, dot, minus, mixed, nearest, scaled, unit


class Separation(NamedTuple):
    """Distance of two shapes in the world frame, in 2D or 3D."""

    distance: float
    """Distance [m]; 0 or less if they meet."""
    first: Any
    """Point of the first shape that is nearest to the second; if they meet, a common point."""
    second: Any
    """Point of the second shape that is nearest to the first; if they meet, a common point."""


class Piece:
    """Points within `margin` of the hull of a few points: a point, a line or a triangle."""

    _is_plane = False

    def __init__(self, corners: Sequence[Vec], margin: float = 0.0) -> None:
        self.margin = margin
        self._points = tuple(corners)
        self._is_point = len(self._points) == 1
        self._middle = mixed([1.0 / len(self._points)] * len(self._points), self._points)
        self._size = max(math.dist(self._middle, corner) for corner in self._points) + margin

    def _far_point(self, direction: Vec) -> Vec:
        return max(self._points, key=lambda corner: dot(corner, direction))

    def _pieces(self, _: Any) -> tuple[Piece]:
        return (self,)

    def _encloses(self, _: Any) -> bool:
        return False

    def _ball(self) -> tuple[Vec, float]:
        return self._middle, self._size

    def _toward(self, point: Vec) -> tuple[float, Vec]:
        """Returns the distance to a point, and the direction to it."""
        gap = nearest(Piece([point]), self, self._size + math.dist(point, self._middle)).gap
        distance = math.hypot(*gap)
        return distance, scaled(gap, 1.0 / distance) if distance > 0.0 else gap


def separation(a: Any, b: Any) -> Separation:
    """Returns the smallest distance between the convex pieces of two 3D shapes."""
    best: Separation | None = None
    for piece, other in _pairs(a, b):
        if best is not None and apart(piece, other) > max(best.distance, 0.0):
            continue
        found = piece_separation(piece, other)
        if best is None or found.distance < best.distance:
            best = found
    assert best is not None  # shapes have pieces
    if best.distance > 0.0:
        for mesh, inner in ((a, b), (b, a)):
            if mesh._encloses(inner):  # clear of its triangles
                common = inner._far_point((1.0, 0.0, 0.0))
                return Separation(-best.distance, common, common)
    return best


def _pairs(a: Any, b: Any) -> Iterator[tuple[Any, Any]]:
    """Yields pairs of convex pieces of two shapes, near ones first."""
    firsts, seconds = list(a._pieces(b)), list(b._pieces(a))
    pairs = [(piece, other) for piece in firsts for other in seconds]
    if len(pairs) > 1:
        pairs.sort(key=lambda pair: apart(*pair))
    yield from pairs


def apart(a: Any, b: Any) -> float:
    """Returns a lower bound on the distance between two pieces, from the balls around them."""
    return float(math.dist(*(one._ball()[0] for one in (a, b))) - a._ball()[1] - b._ball()[1])


def piece_separation(a: Any, b: Any) -> Separation:
    """Returns the separation of two convex pieces or planes."""
    if a._is_plane and b._is_plane:
        return _of_planes(a, b)
    if a._is_plane:
        return _turned(_to_plane(b, a))
    if b._is_plane:
        return _to_plane(a, b)
    if b._is_point:
        return _to_point(a, b)
    if a._is_point:
        return _turned(_to_point(b, a))
    cores = nearest(a, b, a._size + b._size)
    length = math.hypot(*cores.gap)
    normal = scaled(cores.gap, -1.0 / length) if length > 0.0 else cores.gap
    return widened(length, normal, cores.first, cores.second, a.margin, b.margin)


def widened(
    length: float, normal: Any, first: Any, second: Any, margin: float, other: float
) -> Separation:
    """Returns the separation of two shapes from that of their cores.

    Args:
        length: distance of the cores [m].
        normal: unit vector from the first core to the second; any vector if they meet.
        first: point of the first core nearest to the second.
        second: point of the second core nearest to the first.
        margin: margin of the first shape [m].
        other: margin of the second shape [m].
    """
    distance = length - margin - other
    if distance > 0.0:
        return Separation(distance, _moved(first, margin, normal), _moved(second, -other, normal))
    step = 0.5 * (max(0.0, length - other) + min(length, margin))
    common = _moved(first, step, normal)
    return Separation(distance, common, common)


def _moved(point: Any, step: float, direction: Any) -> tuple[float, ...]:
    return tuple(p + step * d for p, d in zip(point, direction))


def _to_point(a: Any, b: Any) -> Separation:
    """Returns the separation of a piece and a piece whose core is a point."""
    point = b._far_point((1.0, 0.0, 0.0))
    if a._is_point:
        away = minus(point, a._far_point((1.0, 0.0, 0.0)))
        length, normal = math.hypot(*away), unit(away)
    else:
        length, normal = a._toward(point)
    return widened(length, normal, along(point, -length, normal), point, a.margin, b.margin)


def _turned(found: Separation) -> Separation:
    """Returns the separation with both shapes swapped."""
    return Separation(found.distance, found.second, found.first)


def _to_plane(a: Any, plane: Any) -> Separation:
    """Returns the separation of a piece and a half space."""
    out, origin = plane._normal_there(), plane._frame.origin
    down = scaled(out, -1.0)
    low = along(a._far_point(down), a.margin, down)
    distance = dot(minus(low, origin), out)
    return Separation(distance, low, low if distance <= 0.0 else along(low, -distance, out))


def _of_planes(a: Any, b: Any) -> Separation:
    """Returns the separation of two half spaces, which meet unless they face each other."""
    (up, start), (out, middle) = ((one._normal_there(), one._frame.origin) for one in (a, b))
    height, cosine = dot(minus(start, middle), out), dot(up, out)
    if cosine <= -1.0 + 1e-15:
        return Separation(height, start, along(start, -max(height, 0.0), out))
    common = start if height <= 0.0 else middle
    if height > 0.0 and dot(minus(middle, start), up) > 0.0:
        # Neither origin is in both: down to where the surfaces cross.
        across = along(out, -cosine, up)
        common = along(start, -height / dot(across, out), across)
    return Separation(-math.inf, common, common)
