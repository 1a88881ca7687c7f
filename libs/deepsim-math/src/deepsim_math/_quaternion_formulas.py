# SPDX-License-Identifier: Apache-2.0
"""The formulas of `quaternions`, on components that are floats or arrays (see `_blocks.run`)."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from . import _vector_formulas as vectors
from ._blocks import refuse_zero
from ._elementwise import arcsin, arctan2, copysign, cos, maximum, sin, sqrt, tan, where

_EPSILON = sys.float_info.epsilon


def multiply(
    ax: Any, ay: Any, az: Any, aw: Any, bx: Any, by: Any, bz: Any, bw: Any
) -> tuple[Any, ...]:
    """Hamilton product."""
    # Written with += and -=, which spare the arrays of the sums in between.
    x, y, z, w = aw * bx, aw * by, aw * bz, aw * bw
    x += ax * bw
    x += ay * bz
    x -= az * by
    y -= ax * bz
    y += ay * bw
    y += az * bx
    z += ax * by
    z -= ay * bx
    z += az * bw
    w -= ax * bx
    w -= ay * by
    w -= az * bz
    return x, y, z, w


def inverse(x: Any, y: Any, z: Any, w: Any) -> tuple[Any, ...]:
    """Conjugate over squared length."""
    square = x * x + y * y + z * z + w * w
    refuse_zero(square, "a quaternion")
    return -x / square, -y / square, -z / square, w / square


def rotate(x: Any, y: Any, z: Any, w: Any, vx: Any, vy: Any, vz: Any) -> tuple[Any, ...]:
    """See `turn` in `_formulas`."""
    square = _dot(x, y, z, w, x, y, z, w)
    refuse_zero(square, "a quaternion")
    scale = 2.0 / square
    tx, ty, tz = y * vz, z * vx, x * vy
    tx -= z * vy
    ty -= x * vz
    tz -= y * vx
    tx *= scale
    ty *= scale
    tz *= scale
    rx, ry, rz = vx + w * tx, vy + w * ty, vz + w * tz
    rx += y * tz
    ry += z * tx
    rz += x * ty
    rx -= z * ty
    ry -= x * tz
    rz -= y * tx
    return rx, ry, rz


def _length(x: Any, y: Any, z: Any, w: Any) -> Any:
    return sqrt(_dot(x, y, z, w, x, y, z, w))


def _dot(ax: Any, ay: Any, az: Any, aw: Any, bx: Any, by: Any, bz: Any, bw: Any) -> Any:
    total = ax * bx
    total += ay * by
    total += az * bz
    total += aw * bw
    return total


def normalize(x: Any, y: Any, z: Any, w: Any) -> tuple[Any, ...]:
    """Divide by the length."""
    size = _length(x, y, z, w)
    refuse_zero(size, "a quaternion")
    return x / size, y / size, z / size, w / size


def from_euler(roll: Any, pitch: Any, yaw: Any) -> tuple[Any, ...]:
    """Half angles: q = qz(yaw) qy(pitch) qx(roll)."""
    sr, cr = sin(0.5 * roll), cos(0.5 * roll)
    sp, cp = sin(0.5 * pitch), cos(0.5 * pitch)
    sy, cy = sin(0.5 * yaw), cos(0.5 * yaw)
    return (
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
        cr * cp * cy + sr * sp * sy,
    )


def to_euler(x: Any, y: Any, z: Any, w: Any) -> tuple[Any, ...]:
    """See `euler_angles` in `_formulas`."""
    x, y, z, w = normalize(x, y, z, w)
    difference_size = _hypot(x - z, w + y)
    sum_size = _hypot(x + z, w - y)
    half_difference = arctan2(x - z, w + y)
    half_sum = arctan2(x + z, w - y)
    lock = 32.0 * (_EPSILON if type(x) is float else np.finfo(x.dtype).eps)
    half_sum = where(sum_size < lock, half_difference, half_sum)
    half_difference = where(difference_size < lock, half_sum, half_difference)
    return (
        _principal(half_sum + half_difference),
        2.0 * arctan2(difference_size, sum_size) - 0.5 * math.pi,
        _principal(half_sum - half_difference),
    )


def _hypot(x: Any, y: Any) -> Any:
    return sqrt(x * x + y * y)  # five times faster than np.hypot


def _principal(angle: Any) -> Any:
    angle = where(angle > math.pi, angle - 2.0 * math.pi, angle)
    return where(angle <= -math.pi, angle + 2.0 * math.pi, angle)


def from_matrix(
    a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any, i: Any
) -> tuple[Any, ...]:
    """Pick the best row of a table for each; see `matrix_quaternion` in `_formulas`."""
    table = np.array(
        [
            [1.0 + a - e - i, b + d, c + g, h - f],
            [b + d, 1.0 - a + e - i, f + h, c - g],
            [c + g, f + h, 1.0 - a - e + i, d - b],
            [h - f, c - g, d - b, 1.0 + a + e + i],
        ]
    )
    best = np.argmax(np.einsum("kkn->kn", table), axis=0)
    return normalize(*table[best, :, np.arange(best.size)].T)


def to_matrix(x: Any, y: Any, z: Any, w: Any) -> tuple[Any, ...]:
    """Nine entries, row by row."""
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


def slerp(
    ax: Any, ay: Any, az: Any, aw: Any, bx: Any, by: Any, bz: Any, bw: Any, t: Any
) -> tuple[Any, ...]:
    """See `great_arc` in `_formulas`."""
    a_square = _dot(ax, ay, az, aw, ax, ay, az, aw)
    b_square = _dot(bx, by, bz, bw, bx, by, bz, bw)
    refuse_zero(a_square, "a quaternion")
    refuse_zero(b_square, "a quaternion")
    cosine = _dot(ax, ay, az, aw, bx, by, bz, bw)
    a_length, b_length = sqrt(a_square), copysign(sqrt(b_square), cosine)
    cosine /= a_length * b_length
    square = maximum(0.5 - 0.5 * cosine, 1e-30)
    half_sine, half_cosine = sqrt(square), sqrt(1.0 - square)
    tangent = tan(t * arcsin(half_sine))
    part = 1.0 / (1.0 + tangent * tangent)
    weight_b = tangent * part / (half_sine * half_cosine)
    weight_a = 2.0 * part - 1.0 - cosine * weight_b
    weight_a /= a_length
    weight_b /= b_length
    x, y, z, w = weight_a * ax, weight_a * ay, weight_a * az, weight_a * aw
    x += weight_b * bx
    y += weight_b * by
    z += weight_b * bz
    w += weight_b * bw
    return x, y, z, w


def from_axis_angle(x: Any, y: Any, z: Any, angle: Any) -> tuple[Any, ...]:
    """Half the angle, about the unit axis."""
    x, y, z = vectors.normalize(x, y, z)
    s = sin(0.5 * angle)
    return s * x, s * y, s * z, cos(0.5 * angle)


def look_rotation(fx: Any, fy: Any, fz: Any, ux: Any, uy: Any, uz: Any) -> tuple[Any, ...]:
    """See `Quaternion.look_rotation`."""
    fx, fy, fz = vectors.normalize(fx, fy, fz)
    ux, uy, uz = vectors.normalize(ux, uy, uz)
    lx, ly, lz = vectors.cross(ux, uy, uz, fx, fy, fz)
    along = vectors.length(lx, ly, lz) < 1e-9
    # Where forward lies along up: what (0, 1, 0) or, along that, (-1, 0, 0) has beside forward.
    steep = abs(fy) < 0.9
    sx, sy = where(steep, 0.0, -1.0), where(steep, 1.0, 0.0)
    part = sx * fx + sy * fy
    lx = where(along, sx - part * fx, lx)
    ly = where(along, sy - part * fy, ly)
    lz = where(along, -part * fz, lz)
    lx, ly, lz = vectors.normalize(lx, ly, lz)
    ux, uy, uz = vectors.cross(fx, fy, fz, lx, ly, lz)
    return from_matrix(fx, lx, ux, fy, ly, uy, fz, lz, uz)
