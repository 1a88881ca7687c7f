# SPDX-License-Identifier: Apache-2.0
"""Arrays of quaternions x, y, z, w, shape (..., 4): the methods of Quaternion in batch.

Leading axes broadcast; float32 is kept when all array arguments are float32. Non-zero
quaternions of any length count as their unit quaternion, except in `multiply` and `conjugate`,
which are plain algebra. Functions that divide by a length raise ValueError with the index of a row
of zero length.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ._blocks import (
    by_matrix,
    float_arrays,
    functions_of,
    refuse,
    refuse_non_rotations,
    run,
    run_rows,
)
from .formulas import rotations as formulas
from .formulas.rotations import to_euler_rows

if TYPE_CHECKING:
    from ._typing import F, FloatArray, Floats, NDArray


def __dir__() -> list[str]:
    return functions_of(globals())


def multiply(a: Floats[F], b: Floats[F]) -> NDArray[F]:
    """Returns Hamilton products: the rotations by `b`, followed by those by `a`."""
    return run(formulas.multiply, (a, b), (4, 4), 4)


def conjugate(q: Floats[F]) -> NDArray[F]:
    """Returns quaternions with negated x, y, z: the inverses of unit quaternions."""
    return run(lambda x, y, z, w: (-x, -y, -z, w), (q,), (4,), 4)


def inverse(q: Floats[F]) -> NDArray[F]:
    """Returns quaternions whose products with `q` are the identity."""
    return run(formulas.inverse, (q,), (4,), 4)


def normalize(q: Floats[F]) -> NDArray[F]:
    """Returns unit quaternions of the same rotations."""
    return run(formulas.normalize, (q,), (4,), 4)


def angle_to(a: Floats[F], b: Floats[F]) -> NDArray[F]:
    """Returns the angles [rad] of the rotations from `a` to `b`, in [0, pi], shape (...)."""
    return run(formulas.angle, (a, b), (4, 4), 0, exact=False)


def rotate(q: Floats[F], v: Floats[F]) -> NDArray[F]:
    """Rotates vectors (..., 3)."""
    q, v = float_arrays(q, v)
    if q.shape == (4,) and v.ndim > 1:  # one rotation for many vectors: twice as fast by a matrix
        return run_rows(by_matrix(to_matrix(q)), (v,), (3,), 3)
    return run(formulas.rotate, (q, v), (4, 3), 3)


def inverse_rotate(q: Floats[F], v: Floats[F]) -> NDArray[F]:
    """Rotates vectors (..., 3) by the inverse rotations."""
    q, v = float_arrays(q, v)
    if q.shape == (4,):
        return rotate(conjugate(q), v)
    return run(lambda x, y, z, w, *v: formulas.rotate(-x, -y, -z, w, *v), (q, v), (4, 3), 3)


def from_wxyz(wxyz: Floats[F]) -> NDArray[F]:
    """Converts w, x, y, z: the order of MuJoCo, transforms3d and PyGLM."""
    return run(lambda w, x, y, z: (x, y, z, w), (wxyz,), (4,), 4)


def to_wxyz(q: Floats[F]) -> NDArray[F]:
    """Converts to w, x, y, z."""
    return run(lambda x, y, z, w: (w, x, y, z), (q,), (4,), 4)


def from_euler(euler: Floats[F]) -> NDArray[F]:
    """Converts fixed-axis roll, pitch, yaw [rad], shape (..., 3)."""
    return run(formulas.from_euler, (euler,), (3,), 4, exact=False)


def to_euler(q: Floats[F]) -> NDArray[F]:
    """Converts to roll, pitch, yaw [rad], shape (..., 3); see `Quaternion.to_euler`."""
    return run_rows(to_euler_rows, (q,), (4,), 3)


def from_angles(order: str, angles: Floats[F]) -> NDArray[F]:
    """Converts angles [rad], shape (..., 3), about axes; see `Quaternion.from_angles`."""
    formula = partial(formulas.from_angles, formulas.axis_order(order))
    return run(formula, (angles,), (3,), 4, exact=False)


def to_angles(order: str, q: Floats[F]) -> NDArray[F]:
    """Converts to angles [rad], shape (..., 3), about axes; see `Quaternion.to_angles`."""
    formula = partial(formulas.to_angles, formulas.axis_order(order))
    return run(formula, (q,), (4,), 3, exact=False)


def from_axis_angle(axis: Floats[F], angle: Floats[F]) -> NDArray[F]:
    """Returns right-handed rotations by `angle` (...) [rad] about `axis` (..., 3) of any length."""
    return run(formulas.from_axis_angle, (axis, angle), (3, 0), 4, exact=False)


def from_rotation_vector(vector: Floats[F]) -> NDArray[F]:
    """Converts axis times angle [rad], shape (..., 3): the exponential; zero is the identity."""
    return run(formulas.from_rotation_vector, (vector,), (3,), 4, exact=False)


def to_rotation_vector(q: Floats[F]) -> NDArray[F]:
    """Converts to axis times angle [rad] (the logarithm), shape (..., 3), lengths in [0, pi]."""
    return run(formulas.to_rotation_vector, (q,), (4,), 3, exact=False)


def look_rotation(forward: Floats[F], up: Floats[F] = (0.0, 0.0, 1.0)) -> NDArray[F]:
    """Returns rotations that turn x to `forward`, and z as close to `up` as possible.

    See `Quaternion.look_rotation`.
    """
    return run(formulas.look_rotation, (forward, up), (3, 3), 4)


def from_matrix(matrix: Floats[F]) -> NDArray[F]:
    """Converts rotation matrices (..., 3, 3); see `Quaternion.from_matrix`.

    Raises:
        ValueError: when a matrix is not a rotation (within 1e-3); the message has its index.
    """
    (m,) = float_arrays(matrix)
    refuse_non_rotations(m, 3)
    return run(formulas.from_matrix, (m.reshape(*m.shape[:-2], 9),), (9,), 4)


def to_matrix(q: Floats[F]) -> NDArray[F]:
    """Returns rotation matrices (..., 3, 3); the columns are the rotated x, y and z axes."""
    entries = run(formulas.to_matrix, (q,), (4,), 9)
    return entries.reshape(*entries.shape[:-1], 3, 3)


def slerp(a: Floats[F], b: Floats[F], t: Floats[F]) -> NDArray[F]:
    """Interpolates from `a` (t = 0) to `b` (t = 1), `t` (...); see `Quaternion.slerp`."""
    return run(formulas.slerp, (a, b, t), (4, 4, 0), 4, exact=False)


def mean(q: Floats[F], weights: Floats[F] | None = None) -> NDArray[F]:
    """Returns the mean rotations of `q` (..., n, 4), shape (..., 4), regardless of signs.

    The mean minimises the weighted sum of squared chords: it is the eigenvector of the largest
    eigenvalue of sum w q q^T (Markley et al. 2007).

    Args:
        q: quaternions of any non-zero length.
        weights: shape (n,) or (..., n), not negative; equal if None.

    Raises:
        ValueError: when `q` is empty, or weights are negative or all zero.
    """
    units = normalize(q)
    if units.ndim < 2 or units.shape[-2] == 0:
        raise ValueError(f"the mean needs shape (..., n, 4) with n > 0, got {units.shape}")
    w = np.ones(units.shape[-2]) if weights is None else float_arrays(weights)[0]
    refuse(w < 0.0, "weights must not be negative", w)
    refuse(w.sum(axis=-1) == 0.0, "the sum of weights must not be zero", w.sum(axis=-1))
    matrix = np.einsum("...n,...ni,...nj->...ij", w, units, units)
    return np.linalg.eigh(matrix)[1][..., -1].astype(units.dtype)


def random(rng: np.random.Generator, shape: int | tuple[int, ...] = ()) -> FloatArray:
    """Returns unit quaternions of uniformly distributed rotations, shape (*shape, 4)."""
    lead = (shape,) if isinstance(shape, int) else tuple(shape)
    return normalize(rng.normal(size=(*lead, 4)))
