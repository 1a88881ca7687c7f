# SPDX-License-Identifier: Apache-2.0
"""Products and lengths of vectors of three components."""

from __future__ import annotations

from typing import Any

from .elementwise import arctan2, refuse_zero, sqrt


def dot(ax: Any, ay: Any, az: Any, bx: Any, by: Any, bz: Any) -> Any:
    """Returns the scalar product."""
    return ax * bx + ay * by + az * bz


def cross(ax: Any, ay: Any, az: Any, bx: Any, by: Any, bz: Any) -> tuple[Any, Any, Any]:
    """Returns the vector product by the right-hand rule."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


def length(x: Any, y: Any, z: Any) -> Any:
    """Returns the Euclidean length; the squares must neither overflow nor underflow."""
    return sqrt(x * x + y * y + z * z)


def distance(ax: Any, ay: Any, az: Any, bx: Any, by: Any, bz: Any) -> Any:
    """Returns the Euclidean distance, with the same limits as `length`."""
    return length(ax - bx, ay - by, az - bz)


def angle(ax: Any, ay: Any, az: Any, bx: Any, by: Any, bz: Any) -> Any:
    """Returns the angle in [0, pi], from its tangent, which is accurate at both ends."""
    a, b = length(ax, ay, az), length(bx, by, bz)
    refuse_zero(a, "vector")
    refuse_zero(b, "vector")
    return arctan2(length(*cross(ax, ay, az, bx, by, bz)), dot(ax, ay, az, bx, by, bz))


def normalize(x: Any, y: Any, z: Any) -> tuple[Any, Any, Any]:
    """Returns the unit vector in the same direction."""
    size = length(x, y, z)
    refuse_zero(size, "vector")
    return x / size, y / size, z / size


def project(vx: Any, vy: Any, vz: Any, x: Any, y: Any, z: Any) -> tuple[Any, Any, Any]:
    """Returns the part along the direction x, y, z."""
    x, y, z = normalize(x, y, z)
    size = dot(vx, vy, vz, x, y, z)
    return size * x, size * y, size * z
