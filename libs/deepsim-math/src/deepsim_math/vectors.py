# SPDX-License-Identifier: Apache-2.0
"""Arrays of vectors or points, shape (..., 3).

Leading axes broadcast; float32 is kept when all array arguments are float32. Where a direction
is needed, a row of zero length raises ValueError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._blocks import functions_of, run
from .formulas import elementwise as formulas

if TYPE_CHECKING:
    from ._typing import F, Floats, NDArray


def __dir__() -> list[str]:
    return functions_of(globals())


def dot(a: Floats[F], b: Floats[F]) -> NDArray[F]:
    """Returns scalar products, shape (...)."""
    return run(formulas.dot, (a, b), (3, 3), 0)


def cross(a: Floats[F], b: Floats[F]) -> NDArray[F]:
    """Returns vector products by the right-hand rule, shape (..., 3)."""
    return run(formulas.cross, (a, b), (3, 3), 3)


def length(v: Floats[F]) -> NDArray[F]:
    """Returns Euclidean lengths, shape (...)."""
    return run(formulas.length, (v,), (3,), 0)


def distance(a: Floats[F], b: Floats[F]) -> NDArray[F]:
    """Returns Euclidean distances, shape (...)."""
    return run(formulas.distance, (a, b), (3, 3), 0)


def angle_to(a: Floats[F], b: Floats[F]) -> NDArray[F]:
    """Returns the angles [rad] between `a` and `b`, in [0, pi], shape (...)."""
    return run(formulas.angle, (a, b), (3, 3), 0, exact=False)


def normalize(v: Floats[F]) -> NDArray[F]:
    """Returns unit vectors in the same directions, shape (..., 3)."""
    return run(formulas.normalize, (v,), (3,), 3)


def project(v: Floats[F], onto: Floats[F]) -> NDArray[F]:
    """Returns the parts of `v` along the directions `onto` (of any length), shape (..., 3)."""
    return run(formulas.project, (v, onto), (3, 3), 3)
