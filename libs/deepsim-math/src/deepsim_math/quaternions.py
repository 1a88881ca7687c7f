# SPDX-License-Identifier: Apache-2.0
"""Arrays of quaternions x, y, z, w, shape (..., 4): the methods of Quaternion in batch.

Leading axes broadcast; float32 is kept when all array arguments are float32. `out` receives the
result and may be one of the arguments. Non-zero quaternions of any length count as their unit
quaternion, except in `multiply` and `conjugate`, which are plain algebra. Functions that divide by
a length raise ValueError with the index of a row of zero length.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ._blocks import by_matrix, fill, float_arrays, refuse, run, run_rows
from .formulas import rotations as formulas
from .values.rotation import axis_order

if TYPE_CHECKING:
    from ._typing import ArrayLike, FloatArray


def multiply(a: ArrayLike, b: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Returns Hamilton products: the rotations by `b`, followed by those by `a`."""
    return run(formulas.multiply, (a, b), (4, 4), 4, out)


def conjugate(q: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Returns quaternions with negated x, y, z: the inverses of unit quaternions."""
    return run(lambda x, y, z, w: (-x, -y, -z, w), (q,), (4,), 4, out)


def inverse(q: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Returns quaternions whose products with `q` are the identity."""
    return run(formulas.inverse, (q,), (4,), 4, out)


def normalize(q: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Returns unit quaternions of the same rotations."""
    return run(formulas.normalize, (q,), (4,), 4, out)


def angle_to(a: ArrayLike, b: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Returns the angles [rad] of the rotations from `a` to `b`, in [0, pi], shape (...)."""
    return run(formulas.angle, (a, b), (4, 4), 0, out, exact=False)


def rotate(q: ArrayLike, v: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Rotates vectors (..., 3)."""
    q, v = float_arrays(q, v)
    if q.shape == (4,) and v.ndim > 1:  # one rotation for many vectors: twice as fast by a matrix
        return run_rows(by_matrix(to_matrix(q)), (v,), (3,), 3, out)
    return run(formulas.rotate, (q, v), (4, 3), 3, out)


def inverse_rotate(q: ArrayLike, v: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Rotates vectors (..., 3) by the inverse rotations."""
    q, v = float_arrays(q, v)
    return rotate(conjugate(q), v, out)


def from_wxyz(wxyz: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Converts w, x, y, z: the order of MuJoCo, transforms3d and PyGLM."""
    return run(lambda w, x, y, z: (x, y, z, w), (wxyz,), (4,), 4, out)


def to_wxyz(q: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Converts to w, x, y, z."""
    return run(lambda x, y, z, w: (w, x, y, z), (q,), (4,), 4, out)


def from_euler(euler: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Converts fixed-axis roll, pitch, yaw [rad], shape (..., 3)."""
    return run(formulas.from_euler, (euler,), (3,), 4, out, exact=False)


def to_euler(q: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Converts to roll, pitch, yaw [rad], shape (..., 3); see `Quaternion.to_euler`."""
    return run(formulas.to_euler, (q,), (4,), 3, out, exact=False)


def from_angles(order: str, angles: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Converts angles [rad], shape (..., 3), about axes; see `Quaternion.from_angles`."""
    formula = partial(formulas.from_angles, axis_order(order))
    return run(formula, (angles,), (3,), 4, out, exact=False)


def to_angles(order: str, q: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Converts to angles [rad], shape (..., 3), about axes; see `Quaternion.to_angles`."""
    formula = partial(formulas.to_angles, axis_order(order))
    return run(formula, (q,), (4,), 3, out, exact=False)


def from_axis_angle(axis: ArrayLike, angle: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Returns right-handed rotations by `angle` (...) [rad] about `axis` (..., 3) of any length."""
    return run(formulas.from_axis_angle, (axis, angle), (3, 0), 4, out, exact=False)


def from_rotation_vector(vector: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Converts axis times angle [rad], shape (..., 3): the exponential; zero is the identity."""
    return run(formulas.from_rotation_vector, (vector,), (3,), 4, out, exact=False)


def to_rotation_vector(q: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Converts to axis times angle [rad] (the logarithm), shape (..., 3), lengths in [0, pi]."""
    return run(formulas.to_rotation_vector, (q,), (4,), 3, out, exact=False)


def look_rotation(
    forward: ArrayLike, up: ArrayLike = (0.0, 0.0, 1.0), out: FloatArray | None = None
) -> FloatArray:
    """Returns rotations that turn x to `forward`, and z as close to `up` as possible.

    See `Quaternion.look_rotation`.
    """
    return run(formulas.look_rotation, (forward, up), (3, 3), 4, out)


def from_matrix(matrix: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Converts rotation matrices (..., 3, 3); see `Quaternion.from_matrix`.

    Raises:
        ValueError: when a matrix is not a rotation (within 1e-3); the message has its index.
    """
    m = checked_matrices(matrix, 3)
    return run(formulas.from_matrix, (m.reshape(*m.shape[:-2], 9),), (9,), 4, out)


def to_matrix(q: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Returns rotation matrices (..., 3, 3); the columns are the rotated x, y and z axes."""
    entries = run(formulas.to_matrix, (q,), (4,), 9)
    matrices = entries.reshape(*entries.shape[:-1], 3, 3)
    return matrices if out is None else fill(out, matrices)


def slerp(a: ArrayLike, b: ArrayLike, t: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Interpolates from `a` (t = 0) to `b` (t = 1), `t` (...); see `Quaternion.slerp`."""
    return run(formulas.slerp, (a, b, t), (4, 4, 0), 4, out, exact=False)


def mean(q: ArrayLike, weights: ArrayLike | None = None) -> FloatArray:
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


def checked_matrices(matrix: ArrayLike, size: int) -> FloatArray:
    """Returns matrices (..., size, size), refusing an upper left 3 x 3 that is not a rotation."""
    (m,) = float_arrays(matrix)
    if m.shape[-2:] != (size, size):
        raise ValueError(f"expected shape (..., {size}, {size}), got {m.shape}")
    turn = m[..., :3, :3]
    with np.errstate(invalid="ignore"):  # matrices of NaN flow through
        error = np.abs(turn @ np.swapaxes(turn, -1, -2) - np.eye(3)).max(axis=(-1, -2))
        wrong = (error > 1e-3) | (np.linalg.det(turn) < 0.0)
    refuse(wrong, "not a rotation matrix (orthonormal, determinant 1)", turn)
    return m
