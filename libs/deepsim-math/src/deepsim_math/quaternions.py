# SPDX-License-Identifier: Apache-2.0
"""Arrays of quaternions x, y, z, w, shape (..., 4): the methods of Quaternion in batch.

Leading axes broadcast; float32 is kept when all arguments are float32. `out` receives the result
and may be one of the arguments. Non-zero quaternions of any length count as their unit quaternion,
except in `multiply` and `conjugate`, which are plain algebra.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _quaternion_formulas as formulas
from ._blocks import by_columns, by_matrix, fill, float_arrays, run, run_rows

if TYPE_CHECKING:
    from ._typing import ArrayLike, FloatArray


def multiply(a: ArrayLike, b: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Hamilton products: the rotations that first do `b`, then `a`."""
    return run(formulas.multiply, (a, b), (4, 4), 4, out)


def conjugate(q: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Negate x, y, z: the inverses of unit quaternions."""
    return run(lambda x, y, z, w: (-x, -y, -z, w), (q,), (4,), 4, out)


def inverse(q: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Quaternions whose products with `q` are the identity.

    Raises:
        ValueError: when a row has zero length.
    """
    return run(formulas.inverse, (q,), (4,), 4, out)


def normalize(q: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Unit quaternions of the same rotations.

    Raises:
        ValueError: when a row has zero length.
    """
    return run(formulas.normalize, (q,), (4,), 4, out)


def rotate(q: ArrayLike, v: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Turn vectors (..., 3).

    Raises:
        ValueError: when a quaternion has zero length.
    """
    q, v = float_arrays(q, v)
    if q.shape == (4,) and v.ndim > 1:  # one for many: twice as fast by a matrix
        return run_rows(by_matrix(to_matrix(q)), (v,), (3,), 3, out)
    return run(formulas.rotate, (q, v), (4, 3), 3, out)


def inverse_rotate(q: ArrayLike, v: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Turn vectors (..., 3) by the inverse rotations.

    Raises:
        ValueError: when a quaternion has zero length.
    """
    return rotate(conjugate(q), v, out)


def from_wxyz(wxyz: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Convert w, x, y, z: the order of MuJoCo, transforms3d and PyGLM."""
    return run(lambda w, x, y, z: (x, y, z, w), (wxyz,), (4,), 4, out)


def to_wxyz(q: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Convert to w, x, y, z."""
    return run(lambda x, y, z, w: (w, x, y, z), (q,), (4,), 4, out)


def from_euler(euler: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Convert fixed-axis roll, pitch, yaw [rad], shape (..., 3)."""
    return run(formulas.from_euler, (euler,), (3,), 4, out)


def to_euler(q: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Convert to roll, pitch, yaw [rad], shape (..., 3); see `Quaternion.to_euler`.

    Raises:
        ValueError: when a row has zero length.
    """
    return run(formulas.to_euler, (q,), (4,), 3, out)


def from_axis_angle(axis: ArrayLike, angle: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Turns by `angle` (...) [rad] about `axis` (..., 3) of any length, by the right-hand rule.

    Raises:
        ValueError: when an axis has zero length.
    """
    return run(formulas.from_axis_angle, (axis, angle), (3, 0), 4, out)


def look_rotation(
    forward: ArrayLike, up: ArrayLike = (0.0, 0.0, 1.0), out: FloatArray | None = None
) -> FloatArray:
    """Turns of x to `forward` and of z near `up`, both (..., 3); see `Quaternion.look_rotation`.

    Raises:
        ValueError: when a row has zero length.
    """
    return run_rows(by_columns(formulas.look_rotation), (forward, up), (3, 3), 4, out)


def from_matrix(matrix: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Convert rotation matrices (..., 3, 3); see `Quaternion.from_matrix`.

    Raises:
        ValueError: when a matrix is not a rotation (within 1e-3).
    """
    (m,) = float_arrays(matrix)
    if m.shape[-2:] != (3, 3):
        raise ValueError(f"expected shape (..., 3, 3), got {m.shape}")
    error = np.abs(m @ np.swapaxes(m, -1, -2) - np.eye(3)) > 1e-3
    if error.any() or (np.linalg.det(m) < 0.0).any():
        raise ValueError("not all are rotation matrices (orthonormal, determinant 1)")
    entries = m.reshape(*m.shape[:-2], 9)
    return run_rows(by_columns(formulas.from_matrix), (entries,), (9,), 4, out)


def to_matrix(q: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Rotation matrices (..., 3, 3); the columns are the rotated forward, left and up.

    Raises:
        ValueError: when a row has zero length.
    """
    entries = run(formulas.to_matrix, (q,), (4,), 9)
    matrices = entries.reshape(*entries.shape[:-1], 3, 3)
    return matrices if out is None else fill(out, matrices)


def slerp(a: ArrayLike, b: ArrayLike, t: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Turn from `a` (t = 0) to `b` (t = 1) the short way at constant speed; `t` has shape (...).

    Raises:
        ValueError: when a row has zero length.
    """
    return run(formulas.slerp, (a, b, t), (4, 4, 0), 4, out)
