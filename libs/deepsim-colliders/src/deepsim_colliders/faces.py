# SPDX-License-Identifier: Apache-2.0
"""The overlap of two flat faces; its corners are contacts."""

from __future__ import annotations

from typing import Any

from .convex.vectors import Vec, across, along, cross, dot, minus, scaled

# Least cosine between a face normal and the contact normal for the face to be in contact.
_ALIGNED = 0.996


def overlap(a: Any, b: Any, found: Any, touch: float) -> list[tuple[Vec, float]]:
    """Returns the points halfway between the surfaces of two meeting pieces, and their depths.

    If each piece has a face perpendicular to the normal, the points are the corners of the common
    area (Sutherland and Hodgman 1974). On a half space, they are all corners below its surface.
    Otherwise there is a single point.
    """
    normal = found.normal
    if a._is_plane or b._is_plane:
        return _on_plane(a, b, touch)
    middle = scaled(along(found.first, 1.0, found.second), 0.5)
    single = [(middle, max(-found.distance, 0.0))]
    mine, theirs = _face(a, normal), _face(b, scaled(normal, -1.0))
    if mine is None or theirs is None:
        return single
    x = across(normal)
    y = cross(normal, x)

    def flat(points: list[Vec]) -> list[Vec]:
        return [(dot(p, x), dot(p, y), dot(p, normal)) for p in points]

    result = []
    for u, v, upper, lower in _both(flat(mine), flat(theirs)):
        if upper - lower >= -touch:
            place = along(along(scaled(x, u), v, y), 0.5 * (upper + lower), normal)
            result.append((place, max(upper - lower, 0.0)))
    return result or single


def _on_plane(a: Any, b: Any, touch: float) -> list[tuple[Vec, float]]:
    """Returns the points of a piece below the surface of a half space, halfway to the surface."""
    if a._is_plane and b._is_plane:
        return []  # the intersection is infinite
    plane, piece = (a, b) if a._is_plane else (b, a)
    out, origin = plane._normal_there(), plane._frame.origin
    result = []
    for low in piece._low_points_there(scaled(out, -1.0)):
        height = dot(minus(low, origin), out)
        if height <= touch:
            result.append((along(low, -0.5 * height, out), max(-height, 0.0)))
    return result


def _face(shape: Any, direction: Vec) -> list[Vec] | None:
    """Returns the ordered corners of the face perpendicular to a direction, or None."""
    face: tuple[Vec, list[Vec]] | None = shape._face_there(direction)
    if face is None or dot(face[0], direction) < _ALIGNED:
        return None
    return face[1]


def _both(mine: list[Vec], theirs: list[Vec]) -> list[tuple[float, float, float, float]]:
    """Returns the corners of the common area of two convex polygons, and both heights there."""
    upper, lower = _height(mine), _height(theirs)
    area = [(u, v) for u, v, _ in _turned_left(theirs)]
    clip = _turned_left(mine)
    for start, end in zip(clip, [*clip[1:], clip[0]]):
        edge = end[0] - start[0], end[1] - start[1]

        def inside(p: tuple[float, float], start: Vec = start, edge: Any = edge) -> float:
            return float(edge[0] * (p[1] - start[1]) - edge[1] * (p[0] - start[0]))

        kept: list[tuple[float, float]] = []
        for p, q in zip([*area[-1:], *area[:-1]], area):
            at_p, at_q = inside(p), inside(q)
            if (at_p >= 0.0) != (at_q >= 0.0):
                t = at_p / (at_p - at_q)
                kept.append((p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])))
            if at_q >= 0.0:
                kept.append(q)
        area = kept
    return [(u, v, upper(u, v), lower(u, v)) for u, v in area]


def _turned_left(polygon: list[Vec]) -> list[Vec]:
    area = sum(p[0] * q[1] - p[1] * q[0] for p, q in zip(polygon, [*polygon[1:], polygon[0]]))
    return polygon if area >= 0.0 else polygon[::-1]


def _height(polygon: list[Vec]) -> Any:
    """Returns the height of a polygon's plane as a function of (u, v)."""
    first = polygon[0]
    normals = [cross(minus(p, first), minus(q, first)) for p, q in zip(polygon[1:], polygon[2:])]
    normal = max(normals, key=lambda one: abs(one[2]))

    def height(u: float, v: float) -> float:
        return float(
            first[2] - ((u - first[0]) * normal[0] + (v - first[1]) * normal[1]) / normal[2]
        )

    return height
