# SPDX-License-Identifier: Apache-2.0
"""Penetration depth of convex shapes: expanding polytopes, van den Bergen 2001."""

from __future__ import annotations

import math
from typing import NamedTuple

from .minkowski import Pairing, Witness
from .vectors import AXES, Vec, across, cross, dot, minus, mixed, scaled, unit

_STEPS = 256
_RELATIVE = 1e-11


class Penetration(NamedTuple):
    """The smallest translation that separates two shapes."""

    depth: float
    """Length of the translation [m]."""
    direction: Vec
    """Unit vector along which the second shape must move."""
    first: Vec
    """Point of the first shape that is deepest inside the second."""
    second: Vec
    """Point of the second shape that is deepest inside the first."""


class _Face(NamedTuple):
    corners: tuple[int, int, int]
    normal: Vec
    offset: float


def penetration(pair: Pairing, size: float) -> Penetration:
    """Returns the smallest translation that separates two intersecting convex shapes.

    Starts from a tetrahedron inside their Minkowski difference, and grows it where its surface is
    nearest to 0. The depth is exact for polytopes, and within 1e-11 of `size` [m] for round shapes.
    """
    points, flat = _tetrahedron(pair, size)
    if flat is not None:
        return _result(pair.far(flat), flat)
    inner = scaled(mixed((1.0, 1.0, 1.0, 1.0), [point.gap for point in points]), 0.25)
    faces = [
        _face(points, corners, inner) for corners in ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3))
    ]
    known = [face for face in faces if face is not None]
    for _ in range(_STEPS):
        best = min(known, key=lambda face: face.offset)
        new = pair.far(best.normal)
        if dot(new.gap, best.normal) - best.offset <= _RELATIVE * size:
            break
        grown = _expanded(points, known, new, inner, 1e-15 * size)
        if grown is None:
            break
        known = grown
    # Of several coplanar faces, the one that contains the foot provides the points.
    least = min(face.offset for face in known)
    level = [face for face in known if face.offset <= least + 4.0 * _RELATIVE * size]
    parts = [_parts(points, face) for face in level]
    pick = max(range(len(level)), key=lambda number: min(parts[number]))
    return _at(points, level[pick], parts[pick])


def _parts(points: list[Witness], face: _Face) -> list[float]:
    """Returns the weights of the corners of a face that give its point nearest to 0."""
    foot = scaled(face.normal, face.offset)
    a, b, c = (minus(points[corner].gap, foot) for corner in face.corners)
    areas = [dot(cross(p, q), face.normal) for p, q in ((b, c), (c, a), (a, b))]
    total = sum(areas)
    return [area / total for area in areas] if total > 0.0 else [1.0, 0.0, 0.0]


def _at(points: list[Witness], face: _Face, parts: list[float]) -> Penetration:
    """Returns the penetration at a point of a face, given as weights of the corners."""
    corners = [points[corner] for corner in face.corners]
    first = mixed(parts, [corner.first for corner in corners])
    second = mixed(parts, [corner.second for corner in corners])
    return Penetration(max(face.offset, 0.0), face.normal, first, second)


def _result(point: Witness, direction: Vec) -> Penetration:
    """Returns the penetration of shapes whose difference is flat across `direction`."""
    return Penetration(max(dot(point.gap, direction), 0.0), direction, point.first, point.second)


def _tetrahedron(pair: Pairing, size: float) -> tuple[list[Witness], Vec | None]:
    """Returns four points of the Minkowski difference and None.

    If it is flat, returns fewer points and a direction in which it has no extent.
    """
    tiny = 1e-12 * size
    points = [pair.far(AXES[0])]
    directions = [(s * x, s * y, s * z) for x, y, z in AXES for s in (-1.0, 1.0)]
    far = max(
        (pair.far(direction) for direction in directions),
        key=lambda one: math.dist(one.gap, points[0].gap),
    )
    edge = minus(far.gap, points[0].gap)
    if math.hypot(*edge) <= tiny:
        return points, AXES[0]
    points.append(far)
    side = across(edge)
    sides = [side, unit(cross(edge, side))]
    found = [pair.far(scaled(one, s)) for one in sides for s in (1.0, -1.0)]
    line = unit(edge)
    third = max(found, key=lambda one: math.hypot(*cross(minus(one.gap, points[0].gap), line)))
    normal = cross(minus(third.gap, points[0].gap), line)
    if math.hypot(*normal) <= tiny:
        return points, side
    points.append(third)
    normal = unit(normal)
    found = [pair.far(normal), pair.far(scaled(normal, -1.0))]
    heights = [dot(minus(one.gap, points[0].gap), normal) for one in found]
    pick = 0 if heights[0] >= -heights[1] else 1
    if abs(heights[pick]) <= tiny:
        return points, normal
    points.append(found[pick])
    return points, None


def _face(points: list[Witness], corners: tuple[int, int, int], inner: Vec) -> _Face | None:
    """Returns a counter-clockwise face that points away from `inner`; None if it has no area."""
    i, j, k = corners
    a, b, c = points[i].gap, points[j].gap, points[k].gap
    normal = cross(minus(b, a), minus(c, a))
    if normal == (0.0, 0.0, 0.0):
        return None
    normal = unit(normal)
    if dot(normal, minus(inner, a)) > 0.0:
        normal, corners = scaled(normal, -1.0), (i, k, j)
    return _Face(corners, normal, dot(normal, a))


def _expanded(
    points: list[Witness], faces: list[_Face], new: Witness, inner: Vec, tiny: float
) -> list[_Face] | None:
    """Returns the faces after adding the corner `new`; None if rounding puts it inside."""
    seen = [dot(face.normal, new.gap) - face.offset > tiny for face in faces]
    edges: dict[tuple[int, int], None] = {}
    for face, visible in zip(faces, seen):
        if visible:
            i, j, k = face.corners
            for edge in ((i, j), (j, k), (k, i)):
                if edges.pop((edge[1], edge[0]), edge) is edge:
                    edges[edge] = None
    if not edges:
        return None
    points.append(new)
    last = len(points) - 1
    made = [_face(points, (i, j, last), inner) for i, j in edges]
    kept = [face for face, visible in zip(faces, seen) if not visible]
    return kept + [face for face in made if face is not None]
