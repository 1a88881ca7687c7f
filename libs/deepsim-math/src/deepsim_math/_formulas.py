# SPDX-License-Identifier: Apache-2.0
"""The longer formulas of rotations, on bare floats."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .rotation import Quaternion

# Where one of the two half-angle pairs of `euler_angles` is only rounding noise.
_LOCK = 32 * sys.float_info.epsilon


def euler_angles(x: float, y: float, z: float, w: float) -> tuple[float, float, float]:
    """Roll, pitch, yaw of a unit quaternion.

    With half angles r, p, y the sums of the components factor as
    x - z = (cos p + sin p) sin(r - y), w + y = (cos p + sin p) cos(r - y),
    x + z = (cos p - sin p) sin(r + y), w - y = (cos p - sin p) cos(r + y),
    which stay accurate at every pitch.
    """
    difference_size = math.hypot(x - z, w + y)
    sum_size = math.hypot(x + z, w - y)
    half_difference = math.atan2(x - z, w + y)
    half_sum = math.atan2(x + z, w - y)
    if sum_size < _LOCK:
        half_sum = half_difference
    elif difference_size < _LOCK:
        half_difference = half_sum
    return (
        _principal(half_sum + half_difference),
        2.0 * math.atan2(difference_size, sum_size) - 0.5 * math.pi,
        _principal(half_sum - half_difference),
    )


def unit(q: Quaternion) -> tuple[float, float, float, float]:
    """Components of the unit quaternion; ValueError when the length of `q` is zero."""
    x, y, z, w = q.x, q.y, q.z, q.w
    length = math.sqrt(x * x + y * y + z * z + w * w)
    if length == 0.0:
        raise ValueError(f"{q!r} is no rotation: its length is zero")
    return x / length, y / length, z / length, w / length


def turn(q: Quaternion, vx: float, vy: float, vz: float) -> tuple[float, float, float]:
    """Turn bare coordinates: v + w t + u x t with u = (x, y, z) and t = 2 u x v / |q|^2.

    Dividing by the squared length makes it a rotation whatever the length of `q`.
    """
    x, y, z, w = q.x, q.y, q.z, q.w
    square = x * x + y * y + z * z + w * w
    if square == 0.0:
        raise ValueError(f"{q!r} is no rotation: its length is zero")
    scale = 2.0 / square
    tx = scale * (y * vz - z * vy)
    ty = scale * (z * vx - x * vz)
    tz = scale * (x * vy - y * vx)
    return (
        vx + w * tx + y * tz - z * ty,
        vy + w * ty + z * tx - x * tz,
        vz + w * tz + x * ty - y * tx,
    )


def great_arc(a: Quaternion, b: Quaternion, t: float) -> tuple[float, float, float, float]:
    """Point at `t` on the shorter of the arcs from a to b or -b on the unit sphere (Shoemake 1985).

    The scalar product gives the sine of half the angle. It is inexact for small angles, where
    the weights hardly depend on it: their error is about t^2 roundings. The tangent of half the
    angle to go gives its sine and cosine, and these give both weights.
    """
    ax, ay, az, aw = a.x, a.y, a.z, a.w
    bx, by, bz, bw = b.x, b.y, b.z, b.w
    a_square = ax * ax + ay * ay + az * az + aw * aw
    b_square = bx * bx + by * by + bz * bz + bw * bw
    if a_square == 0.0 or b_square == 0.0:
        raise ValueError(f"no rotation between {a!r} and {b!r}: a length is zero")
    cosine = ax * bx + ay * by + az * bz + aw * bw
    a_length, b_length = math.sqrt(a_square), math.copysign(math.sqrt(b_square), cosine)
    cosine /= a_length * b_length
    square = 0.5 - 0.5 * cosine
    if square < 1e-30:  # the weights of no angle are those of a tiny one
        square = 1e-30
    half_sine, half_cosine = math.sqrt(square), math.sqrt(1.0 - square)
    tangent = math.tan(t * math.asin(half_sine))
    part = 1.0 / (1.0 + tangent * tangent)
    weight_b = tangent * part / (half_sine * half_cosine)
    weight_a = 2.0 * part - 1.0 - cosine * weight_b
    weight_a /= a_length
    weight_b /= b_length
    return (
        weight_a * ax + weight_b * bx,
        weight_a * ay + weight_b * by,
        weight_a * az + weight_b * bz,
        weight_a * aw + weight_b * bw,
    )


def rotation_matrix(x: float, y: float, z: float, w: float) -> tuple[float, ...]:
    """Nine entries, row by row, of the matrix of a unit quaternion."""
    return (
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - z * w),
        2.0 * (x * z + y * w),
        2.0 * (x * y + z * w),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - x * w),
        2.0 * (x * z - y * w),
        2.0 * (y * z + x * w),
        1.0 - 2.0 * (x * x + y * y),
    )


def matrix_quaternion(
    a: float,
    b: float,
    c: float,
    d: float,
    e: float,
    f: float,
    g: float,
    h: float,
    i: float,
) -> tuple[float, float, float, float]:
    """Unit quaternion of a rotation matrix, given row by row.

    Each row of the table is a multiple of it (Shepperd 1978); the one with the largest diagonal
    entry is the most accurate.
    """
    table = (
        (1.0 + a - e - i, b + d, c + g, h - f),
        (b + d, 1.0 - a + e - i, f + h, c - g),
        (c + g, f + h, 1.0 - a - e + i, d - b),
        (h - f, c - g, d - b, 1.0 + a + e + i),
    )
    diagonal = [row[k] for k, row in enumerate(table)]
    x, y, z, w = table[diagonal.index(max(diagonal))]
    length = math.sqrt(x * x + y * y + z * z + w * w)
    return x / length, y / length, z / length, w / length


def _principal(angle: float) -> float:
    # Both halves come from atan2, so the angle lies within [-2 pi, 2 pi]: one turn is enough.
    if angle > math.pi:
        return angle - 2.0 * math.pi
    if angle <= -math.pi:
        return angle + 2.0 * math.pi
    return angle
