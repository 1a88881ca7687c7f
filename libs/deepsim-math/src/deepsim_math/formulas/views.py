# SPDX-License-Identifier: Apache-2.0
"""Formulas for frustums: near, far, horizontal field of view, view ratio and camera pose."""

from __future__ import annotations

import math
from typing import Any

from . import rotations
from .boxes_in_view import box_inside, box_touches
from .elementwise import cos, maximum, minimum, sin, sqrt, where
from .motions import inverse_transform, transform


def slopes(fov: Any, ratio: Any) -> tuple[Any, Any]:
    """Returns the half width and half height of the view per metre of depth."""
    side = sin(fov) / (1.0 + cos(fov))  # tan(fov / 2), and exactly 1 at a right angle
    return side, ratio * side


def contains_point(*c: Any) -> Any:
    """Returns whether a point lies inside or on the boundary."""
    near, far, fov, ratio, *pose = c[:11]
    side, rise = slopes(fov, ratio)
    x, y, z = inverse_transform(*pose, *c[11:])
    return (near <= x) & (x <= far) & (abs(y) <= side * x) & (abs(z) <= rise * x)


def contains_sphere(*c: Any) -> Any:
    """Returns whether a sphere lies entirely inside."""
    near, far, fov, ratio, *pose = c[:11]
    side, rise = slopes(fov, ratio)
    x, y, z = inverse_transform(*pose, *c[11:14])
    r = c[14]
    return (
        (near + r <= x)
        & (x + r <= far)
        & (abs(y) + r * sqrt(1.0 + side * side) <= side * x)
        & (abs(z) + r * sqrt(1.0 + rise * rise) <= rise * x)
    )


def intersects_sphere(*c: Any) -> Any:
    """Returns whether a sphere has a point in common with the frustum."""
    # The section of the frustum at depth d is a rectangle, and the squared distance to it is a
    # convex function of d made of four parabolas, for y, z, both or neither beyond the rectangle.
    # The lowest value at the minima of the four, limited to near and far, is the result.
    near, far, fov, ratio, *pose = c[:11]
    side, rise = slopes(fov, ratio)
    x, y, z = inverse_transform(*pose, *c[11:14])
    y, z = abs(y), abs(z)
    square = math.inf
    for s, r in ((0.0, 0.0), (side, 0.0), (0.0, rise), (side, rise)):
        depth = (x + s * y + r * z) / (1.0 + s * s + r * r)
        depth = minimum(maximum(depth, near), far)
        beyond_y, beyond_z = maximum(y - side * depth, 0.0), maximum(z - rise * depth, 0.0)
        ahead = x - depth
        square = minimum(square, ahead * ahead + beyond_y * beyond_y + beyond_z * beyond_z)
    return square <= c[14] * c[14]


def _box_in_view(*c: Any) -> tuple[Any, ...]:
    """Returns near, far, slopes, and the box (centre, matrix, half sizes) in the camera's frame."""
    near, far, fov, ratio, *pose = c[:11]
    center = inverse_transform(*pose, *c[11:14])
    qx, qy, qz, qw = pose[3:]
    matrix = rotations.to_matrix(*rotations.multiply(-qx, -qy, -qz, qw, *c[14:18]))
    halves = tuple(0.5 * size for size in c[18:])
    return (near, far, *slopes(fov, ratio), *center, *matrix, *halves)


def contains_box(*c: Any) -> Any:
    """Returns whether a box lies entirely inside."""
    return box_inside(*_box_in_view(*c))


def intersects_box(*c: Any) -> Any:
    """Returns whether a box has a point in common with the frustum."""
    return box_touches(*_box_in_view(*c))


def to_viewport(*c: Any) -> tuple[Any, ...]:
    """Projects a world point to u, v, depth; u and v are NaN at or behind the camera."""
    side, rise = slopes(c[2], c[3])
    depth, y, z = inverse_transform(*c[4:11], *c[11:])
    ahead = where(depth > 0.0, depth, math.nan)
    return 0.5 - 0.5 * y / (side * ahead), 0.5 + 0.5 * z / (rise * ahead), depth


def from_viewport(*c: Any) -> tuple[Any, ...]:
    """Returns the world point that projects to u, v, depth."""
    side, rise = slopes(c[2], c[3])
    px, py, pz, qx, qy, qz, qw, u, v, depth = c[4:]
    y, z = (1.0 - 2.0 * u) * side * depth, (2.0 * v - 1.0) * rise * depth
    return transform(px, py, pz, qx, qy, qz, qw, depth, y, z)


def to_ray(*c: Any) -> tuple[Any, ...]:
    """Returns the origin and unit direction of the ray through u, v."""
    side, rise = slopes(c[2], c[3])
    qx, qy, qz, qw, u, v = c[7:]
    y, z = (1.0 - 2.0 * u) * side, (2.0 * v - 1.0) * rise
    size = sqrt(1.0 + y * y + z * z)
    return (*c[4:7], *rotations.rotate(qx, qy, qz, qw, 1.0 / size, y / size, z / size))
