# SPDX-License-Identifier: Apache-2.0
"""Formulas for frustums: near, far, horizontal field of view, view ratio and camera pose.

In the frame of the camera, a frustum is |y| <= side * x and |z| <= rise * x from near to far.
"""

from __future__ import annotations

import math
from typing import Any, Iterator, Sequence, Tuple

from . import rotations
from .elementwise import cross, dot
from .motions import inverse_transform, transform

Triple = Tuple[float, float, float]


def slopes(fov: float, ratio: float) -> tuple[float, float]:
    """Returns the half width and half height of the view per metre of depth."""
    side = math.sin(fov) / (1.0 + math.cos(fov))  # tan(fov / 2), and exactly 1 at a right angle
    return side, ratio * side


def contains_sphere(*c: float) -> bool:
    """Returns whether a sphere lies entirely inside; one of radius 0 is a point."""
    near, far, fov, ratio, *pose = c[:11]
    side, rise = slopes(fov, ratio)
    x, y, z = inverse_transform(*pose, *c[11:14])
    r = c[14]
    return bool(
        near + r <= x
        and x + r <= far
        and abs(y) + r * math.sqrt(1.0 + side * side) <= side * x
        and abs(z) + r * math.sqrt(1.0 + rise * rise) <= rise * x
    )


def intersects_sphere(*c: float) -> bool:
    """Returns whether a sphere has a point in common with the frustum."""
    # The section of the frustum at depth d is a rectangle, and the squared distance to it is a
    # convex function of d made of four parabolas, for y, z, both or neither beyond the rectangle.
    # The lowest value at the minima of the four, limited to near and far, is the result.
    near, far, fov, ratio, *pose = c[:11]
    side, rise = slopes(fov, ratio)
    x, y, z = inverse_transform(*pose, *c[11:14])
    y, z = abs(y), abs(z)
    squares = []
    for s, r in ((0.0, 0.0), (side, 0.0), (0.0, rise), (side, rise)):
        depth = min(max((x + s * y + r * z) / (1.0 + s * s + r * r), near), far)
        beyond_y, beyond_z = max(y - side * depth, 0.0), max(z - rise * depth, 0.0)
        ahead = x - depth
        squares.append(ahead * ahead + beyond_y * beyond_y + beyond_z * beyond_z)
    return bool(min(squares) <= c[14] * c[14])


def contains_box(*c: float) -> bool:
    """Returns whether a box lies entirely inside: for each plane, its nearest corner does."""
    near, far, side, rise, center, edges = _box_in_view(*c)
    reach = _reach((1.0, 0.0, 0.0), edges)
    return (
        near <= center[0] - reach
        and center[0] + reach <= far
        and all(
            dot(*normal, *center) >= _reach(normal, edges)
            for sign in (1.0, -1.0)
            for normal in ((side, sign, 0.0), (rise, 0.0, sign))
        )
    )


def intersects_box(*c: float) -> bool:
    """Returns whether a box has a point in common with the frustum: no direction separates them.

    The candidate directions are the face normals of both and the cross products of their edges
    (separating axis theorem; Gottschalk, Lin and Manocha 1996).
    """
    near, far, side, rise, center, edges = _box_in_view(*c)
    for direction in _directions(side, rise, edges):
        x, y, z = direction
        middle, reach = dot(x, y, z, *center), _reach(direction, edges)
        spread = side * abs(y) + rise * abs(z)
        high, low = x + spread, x - spread
        high *= far if high > 0.0 else near
        low *= far if low < 0.0 else near
        if not (middle - reach <= high and low <= middle + reach):
            return False
    return True


def _box_in_view(*c: float) -> tuple[float, float, float, float, Triple, Sequence[Triple]]:
    """Returns near, far, slopes, and the centre and half edges of a box in the camera's frame."""
    near, far, fov, ratio, *pose = c[:11]
    center = inverse_transform(*pose, *c[11:14])
    qx, qy, qz, qw = pose[3:]
    m = rotations.to_matrix(*rotations.multiply(-qx, -qy, -qz, qw, *c[14:18]))
    halves = (0.5 * size for size in c[18:])
    edges = [(h * m[k], h * m[k + 3], h * m[k + 6]) for k, h in enumerate(halves)]
    return (near, far, *slopes(fov, ratio), center, edges)


def _directions(side: float, rise: float, edges: Sequence[Triple]) -> Iterator[Triple]:
    """Yields the directions along which a frustum and a box may be apart."""
    yield 1.0, 0.0, 0.0
    for sign in (1.0, -1.0):
        yield side, sign, 0.0
        yield rise, 0.0, sign
    yield from edges
    own = [(0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    own += [(1.0, s * side, r * rise) for s in (1.0, -1.0) for r in (1.0, -1.0)]
    for edge in edges:
        for other in own:  # the product of parallel edges is zero or noise, which separates nothing
            yield cross(*edge, *other)


def _reach(direction: Triple, edges: Sequence[Triple]) -> float:
    """Returns half the length of a box's projection on a direction, times that one's length."""
    return math.fsum(abs(dot(*direction, *edge)) for edge in edges)


def to_viewport(*c: float) -> tuple[float, float, float]:
    """Projects a world point to u, v, depth; u and v are NaN at or behind the camera."""
    side, rise = slopes(c[2], c[3])
    depth, y, z = inverse_transform(*c[4:11], *c[11:])
    ahead = depth if depth > 0.0 else math.nan
    return 0.5 - 0.5 * y / (side * ahead), 0.5 + 0.5 * z / (rise * ahead), depth


def from_viewport(*c: float) -> tuple[Any, Any, Any]:
    """Returns the world point that projects to u, v, depth."""
    side, rise = slopes(c[2], c[3])
    px, py, pz, qx, qy, qz, qw, u, v, depth = c[4:]
    y, z = (1.0 - 2.0 * u) * side * depth, (2.0 * v - 1.0) * rise * depth
    return transform(px, py, pz, qx, qy, qz, qw, depth, y, z)


def to_ray(*c: float) -> tuple[Any, Any, Any]:
    """Returns the direction of the ray through u, v; its length is not 1."""
    side, rise = slopes(c[2], c[3])
    qx, qy, qz, qw, u, v = c[7:]
    return rotations.rotate(qx, qy, qz, qw, 1.0, (1.0 - 2.0 * u) * side, (2.0 * v - 1.0) * rise)
