# SPDX-License-Identifier: Apache-2.0
"""Arrays of vectors or points, shape (..., 3).

Leading axes broadcast; float32 is kept when all arguments are float32. `out` receives the result
and may be one of the arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._blocks import refuse_zero, run

if TYPE_CHECKING:
    from ._typing import ArrayLike, FloatArray


def dot(a: ArrayLike, b: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Scalar products, shape (...)."""
    return run(_dot, (a, b), (3, 3), 0, out)


def cross(a: ArrayLike, b: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Vector products by the right-hand rule, shape (..., 3)."""
    return run(_cross, (a, b), (3, 3), 3, out)


def length(v: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Euclidean lengths, shape (...)."""
    return run(lambda x, y, z: (_length(x, y, z),), (v,), (3,), 0, out)


def distance(a: ArrayLike, b: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Euclidean distances, shape (...)."""
    return run(_distance, (a, b), (3, 3), 0, out)


def normalize(v: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Unit vectors of the same directions, shape (..., 3).

    Raises:
        ValueError: when a row has zero length.
    """
    return run(_normalize, (v,), (3,), 3, out)


def project(v: ArrayLike, onto: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Parts of `v` along the directions `onto` (of any length), shape (..., 3).

    Raises:
        ValueError: when a row of `onto` has zero length.
    """
    return run(_project, (v, onto), (3, 3), 3, out)


def _dot(ax: Any, ay: Any, az: Any, bx: Any, by: Any, bz: Any) -> tuple[Any, ...]:
    return (ax * bx + ay * by + az * bz,)


def _cross(ax: Any, ay: Any, az: Any, bx: Any, by: Any, bz: Any) -> tuple[Any, ...]:
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


def _length(x: Any, y: Any, z: Any) -> Any:
    return np.sqrt(x * x + y * y + z * z)


def _distance(ax: Any, ay: Any, az: Any, bx: Any, by: Any, bz: Any) -> tuple[Any, ...]:
    return (_length(ax - bx, ay - by, az - bz),)


def _normalize(x: Any, y: Any, z: Any) -> tuple[Any, ...]:
    size = _length(x, y, z)
    refuse_zero(size, "a vector")
    return x / size, y / size, z / size


def _project(vx: Any, vy: Any, vz: Any, x: Any, y: Any, z: Any) -> tuple[Any, ...]:
    x, y, z = _normalize(x, y, z)
    (size,) = _dot(vx, vy, vz, x, y, z)
    return size * x, size * y, size * z
