# SPDX-License-Identifier: Apache-2.0
"""Arrays of quaternions x, y, z, w, shape (..., 4): the methods of Quaternion in batch.

Leading axes broadcast; float32 is kept when all arguments are float32. `out` receives the result
and may be one of the arguments. Non-zero quaternions of any length count as their unit quaternion,
except in `multiply` and `conjugate`, which are plain algebra.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._blocks import float_arrays, refuse_zero, run, store

if TYPE_CHECKING:
    from ._typing import ArrayLike, FloatArray


def multiply(a: ArrayLike, b: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Hamilton products: the rotations that first do `b`, then `a`."""
    return run(hamilton, (a, b), (4, 4), 4, out)


def conjugate(q: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Negate x, y, z: the inverses of unit quaternions."""
    return run(lambda x, y, z, w: (-x, -y, -z, w), (q,), (4,), 4, out)


def inverse(q: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Quaternions whose products with `q` are the identity.

    Raises:
        ValueError: when a row has zero length.
    """
    return run(invert, (q,), (4,), 4, out)


def normalize(q: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Unit quaternions of the same rotations.

    Raises:
        ValueError: when a row has zero length.
    """
    return run(_normalize, (q,), (4,), 4, out)


def rotate(q: ArrayLike, v: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Turn vectors (..., 3).

    Raises:
        ValueError: when a quaternion has zero length.
    """
    q, v = float_arrays(q, v)
    if q.shape == (4,) and v.shape[-1:] == (3,) and v.ndim > 1:
        # One rotation for many vectors: a matrix product is six times faster.
        with np.errstate(all="ignore"):
            return store(v @ to_matrix(q).T, out)
    return run(turn, (q, v), (4, 3), 3, out)


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
    return run(_from_euler, (euler,), (3,), 4, out)


def to_euler(q: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Convert to roll, pitch, yaw [rad], shape (..., 3); see `Quaternion.to_euler`.

    Raises:
        ValueError: when a row has zero length.
    """
    return run(_to_euler, (q,), (4,), 3, out)


def from_matrix(matrix: ArrayLike) -> FloatArray:
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
    return run(_from_matrix, (m.reshape(*m.shape[:-2], 9),), (9,), 4)


def to_matrix(q: ArrayLike) -> FloatArray:
    """Rotation matrices (..., 3, 3); the columns are the rotated forward, left and up.

    Raises:
        ValueError: when a row has zero length.
    """
    rows = run(_to_matrix, (q,), (4,), 9)
    return rows.reshape(*rows.shape[:-1], 3, 3)


def slerp(a: ArrayLike, b: ArrayLike, t: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Turn from `a` (t = 0) to `b` (t = 1) the short way at constant speed; `t` has shape (...).

    Raises:
        ValueError: when a row has zero length.
    """
    return run(_slerp, (a, b, t), (4, 4, 0), 4, out)


def hamilton(
    ax: Any, ay: Any, az: Any, aw: Any, bx: Any, by: Any, bz: Any, bw: Any
) -> tuple[Any, ...]:
    """Formula of `multiply` on components."""
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def invert(x: Any, y: Any, z: Any, w: Any) -> tuple[Any, ...]:
    """Formula of `inverse` on components."""
    square = x * x + y * y + z * z + w * w
    refuse_zero(square, "a quaternion")
    return -x / square, -y / square, -z / square, w / square


def turn(x: Any, y: Any, z: Any, w: Any, vx: Any, vy: Any, vz: Any) -> tuple[Any, ...]:
    """Formula of `rotate` on components; see `deepsim_math.rotation.turn`."""
    square = x * x + y * y + z * z + w * w
    refuse_zero(square, "a quaternion")
    scale = 2.0 / square
    tx = scale * (y * vz - z * vy)
    ty = scale * (z * vx - x * vz)
    tz = scale * (x * vy - y * vx)
    return (
        vx + w * tx + y * tz - z * ty,
        vy + w * ty + z * tx - x * tz,
        vz + w * tz + x * ty - y * tx,
    )


def _length(x: Any, y: Any, z: Any, w: Any) -> Any:
    return np.sqrt(x * x + y * y + z * z + w * w)


def _dot(ax: Any, ay: Any, az: Any, aw: Any, bx: Any, by: Any, bz: Any, bw: Any) -> Any:
    return ax * bx + ay * by + az * bz + aw * bw


def _normalize(x: Any, y: Any, z: Any, w: Any) -> tuple[Any, ...]:
    size = _length(x, y, z, w)
    refuse_zero(size, "a quaternion")
    return x / size, y / size, z / size, w / size


def _from_euler(roll: Any, pitch: Any, yaw: Any) -> tuple[Any, ...]:
    sr, cr = np.sin(0.5 * roll), np.cos(0.5 * roll)
    sp, cp = np.sin(0.5 * pitch), np.cos(0.5 * pitch)
    sy, cy = np.sin(0.5 * yaw), np.cos(0.5 * yaw)
    return (
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
        cr * cp * cy + sr * sp * sy,
    )


def _to_euler(x: Any, y: Any, z: Any, w: Any) -> tuple[Any, ...]:
    x, y, z, w = _normalize(x, y, z, w)
    difference_size = _hypot(x - z, w + y)
    sum_size = _hypot(x + z, w - y)
    half_difference = np.arctan2(x - z, w + y)
    half_sum = np.arctan2(x + z, w - y)
    lock = 32.0 * np.finfo(x.dtype).eps
    half_sum = np.where(sum_size < lock, half_difference, half_sum)
    half_difference = np.where(difference_size < lock, half_sum, half_difference)
    return (
        _principal(half_sum + half_difference),
        2.0 * np.arctan2(difference_size, sum_size) - 0.5 * np.pi,
        _principal(half_sum - half_difference),
    )


def _hypot(x: Any, y: Any) -> Any:
    return np.sqrt(x * x + y * y)  # five times faster than np.hypot


def _principal(angle: Any) -> Any:
    angle = np.where(angle > np.pi, angle - 2.0 * np.pi, angle)
    return np.where(angle <= -np.pi, angle + 2.0 * np.pi, angle)


def _from_matrix(
    a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any, i: Any
) -> tuple[Any, ...]:
    table = np.array(
        [
            [1.0 + a - e - i, b + d, c + g, h - f],
            [b + d, 1.0 - a + e - i, f + h, c - g],
            [c + g, f + h, 1.0 - a - e + i, d - b],
            [h - f, c - g, d - b, 1.0 + a + e + i],
        ]
    )
    best = np.argmax(np.einsum("kkn->kn", table), axis=0)
    return _normalize(*table[best, :, np.arange(best.size)].T)


def _to_matrix(x: Any, y: Any, z: Any, w: Any) -> tuple[Any, ...]:
    square = x * x + y * y + z * z + w * w
    refuse_zero(square, "a quaternion")
    s = 2.0 / square
    return (
        1.0 - s * (y * y + z * z),
        s * (x * y - z * w),
        s * (x * z + y * w),
        s * (x * y + z * w),
        1.0 - s * (x * x + z * z),
        s * (y * z - x * w),
        s * (x * z - y * w),
        s * (y * z + x * w),
        1.0 - s * (x * x + y * y),
    )


def _slerp(
    ax: Any, ay: Any, az: Any, aw: Any, bx: Any, by: Any, bz: Any, bw: Any, t: Any
) -> tuple[Any, ...]:
    ax, ay, az, aw = _normalize(ax, ay, az, aw)
    bx, by, bz, bw = _normalize(bx, by, bz, bw)
    sign = np.where(_dot(ax, ay, az, aw, bx, by, bz, bw) < 0.0, -1.0, 1.0)
    bx, by, bz, bw = sign * bx, sign * by, sign * bz, sign * bw
    gap = _length(ax - bx, ay - by, az - bz, aw - bw)
    total = _length(ax + bx, ay + by, az + bz, aw + bw)
    angle = 2.0 * np.arctan2(gap, total)
    sine = np.sin(angle)
    weight_a = np.where(angle == 0.0, 1.0 - t, np.sin((1.0 - t) * angle) / sine)
    weight_b = np.where(angle == 0.0, t, np.sin(t * angle) / sine)
    return (
        weight_a * ax + weight_b * bx,
        weight_a * ay + weight_b * by,
        weight_a * az + weight_b * bz,
        weight_a * aw + weight_b * bw,
    )
