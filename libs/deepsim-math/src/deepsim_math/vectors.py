# SPDX-License-Identifier: Apache-2.0
"""Arrays of vectors or points, shape (..., 3).

Leading axes broadcast; float32 is kept when all array arguments are float32. `out` receives the
result and may be one of the arguments. Where a direction is needed, a row of zero length raises
ValueError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._blocks import run
from .formulas import vectors as formulas

if TYPE_CHECKING:
    from ._typing import ArrayLike, FloatArray


def dot(a: ArrayLike, b: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Returns scalar products, shape (...)."""
    return run(formulas.dot, (a, b), (3, 3), 0, out)


def cross(a: ArrayLike, b: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Returns vector products by the right-hand rule, shape (..., 3)."""
    return run(formulas.cross, (a, b), (3, 3), 3, out)


def length(v: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Returns Euclidean lengths, shape (...)."""
    return run(formulas.length, (v,), (3,), 0, out)


def distance(a: ArrayLike, b: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Returns Euclidean distances, shape (...)."""
    return run(formulas.distance, (a, b), (3, 3), 0, out)


def angle_to(a: ArrayLike, b: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Returns the angles [rad] between `a` and `b`, in [0, pi], shape (...)."""
    return run(formulas.angle, (a, b), (3, 3), 0, out, exact=False)


def normalize(v: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Returns unit vectors in the same directions, shape (..., 3)."""
    return run(formulas.normalize, (v,), (3,), 3, out)


def project(v: ArrayLike, onto: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Returns the parts of `v` along the directions `onto` (of any length), shape (..., 3)."""
    return run(formulas.project, (v, onto), (3, 3), 3, out)
