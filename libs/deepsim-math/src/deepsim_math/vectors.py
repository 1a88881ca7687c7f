# SPDX-License-Identifier: Apache-2.0
"""Arrays of vectors or points, shape (..., 3).

Leading axes broadcast; float32 is kept when all arguments are float32. `out` receives the result
and may be one of the arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _vector_formulas as formulas
from ._blocks import run

if TYPE_CHECKING:
    from ._typing import ArrayLike, FloatArray


def dot(a: ArrayLike, b: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Scalar products, shape (...)."""
    return run(formulas.dot, (a, b), (3, 3), 0, out)


def cross(a: ArrayLike, b: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Vector products by the right-hand rule, shape (..., 3)."""
    return run(formulas.cross, (a, b), (3, 3), 3, out)


def length(v: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Euclidean lengths, shape (...)."""
    return run(formulas.lengths, (v,), (3,), 0, out)


def distance(a: ArrayLike, b: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Euclidean distances, shape (...)."""
    return run(formulas.distance, (a, b), (3, 3), 0, out)


def normalize(v: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Unit vectors of the same directions, shape (..., 3).

    Raises:
        ValueError: when a row has zero length.
    """
    return run(formulas.normalize, (v,), (3,), 3, out)


def project(v: ArrayLike, onto: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Parts of `v` along the directions `onto` (of any length), shape (..., 3).

    Raises:
        ValueError: when a row of `onto` has zero length.
    """
    return run(formulas.project, (v, onto), (3, 3), 3, out)
