# SPDX-License-Identifier: Apache-2.0
"""The formulas of `vectors`, on components that are floats or arrays (see `_blocks.run`)."""

from __future__ import annotations

from typing import Any

from ._blocks import refuse_zero
from ._elementwise import sqrt


def dot(ax: Any, ay: Any, az: Any, bx: Any, by: Any, bz: Any) -> tuple[Any, ...]:
    """Scalar product, a tuple of one."""
    return (ax * bx + ay * by + az * bz,)


def cross(ax: Any, ay: Any, az: Any, bx: Any, by: Any, bz: Any) -> tuple[Any, ...]:
    """Vector product by the right-hand rule."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


def length(x: Any, y: Any, z: Any) -> Any:
    """Euclidean length."""
    return sqrt(x * x + y * y + z * z)


def lengths(x: Any, y: Any, z: Any) -> tuple[Any, ...]:
    """Euclidean length, a tuple of one."""
    return (length(x, y, z),)


def distance(ax: Any, ay: Any, az: Any, bx: Any, by: Any, bz: Any) -> tuple[Any, ...]:
    """Euclidean distance, a tuple of one."""
    return (length(ax - bx, ay - by, az - bz),)


def normalize(x: Any, y: Any, z: Any) -> tuple[Any, ...]:
    """Divide by the length."""
    size = length(x, y, z)
    refuse_zero(size, "a vector")
    return x / size, y / size, z / size


def project(vx: Any, vy: Any, vz: Any, x: Any, y: Any, z: Any) -> tuple[Any, ...]:
    """Part along the direction x, y, z."""
    x, y, z = normalize(x, y, z)
    (size,) = dot(vx, vy, vz, x, y, z)
    return size * x, size * y, size * z
