# SPDX-License-Identifier: Apache-2.0
"""Formulas for quaternions x, y, z, w, matrices row by row, rotation vectors and axis angles."""

from __future__ import annotations

import math
import sys
from typing import Any, Tuple

import numpy as np

from . import elementwise
from .elementwise import (
    TURN,
    arcsin,
    arctan2,
    copysign,
    cos,
    maximum,
    refuse_zero,
    row_of_largest,
    sin,
    sin_and_cos,
    sqrt,
    tan,
    where,
    wrap_once,
)

Triple = Tuple[Any, Any, Any]
Quad = Tuple[Any, Any, Any, Any]

# Squared fraction of a quaternion's length below which one of the two half-angle pairs of `_angles`
# is rounding noise.
LOCK = (32.0 * sys.float_info.epsilon) ** 2

# Smaller than any length whose square is not zero; replacing zero by it makes quotients exact.
_TINY = 1e-170


def multiply(ax: Any, ay: Any, az: Any, aw: Any, bx: Any, by: Any, bz: Any, bw: Any) -> Quad:
    """Returns the Hamilton product."""
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def square(x: Any, y: Any, z: Any, w: Any) -> Any:
    """Returns the squared length, which must not be zero."""
    return _nonzero(x * x + y * y + z * z + w * w)


def _nonzero(total: Any) -> Any:
    if type(total) is not float or total == 0.0:  # saves a call for floats
        refuse_zero(total, "quaternion")
    return total


def normalize(x: Any, y: Any, z: Any, w: Any) -> Quad:
    """Returns the unit quaternion of the same rotation."""
    size = sqrt(square(x, y, z, w))
    return x / size, y / size, z / size, w / size


def inverse(x: Any, y: Any, z: Any, w: Any) -> Quad:
    """Returns the conjugate over the squared length."""
    total = square(x, y, z, w)
    minus = -total
    return x / minus, y / minus, z / minus, w / total


def rotate(x: Any, y: Any, z: Any, w: Any, vx: Any, vy: Any, vz: Any) -> Triple:
    """Rotates a vector: v + w t + u x t with u = (x, y, z) and t = 2 u x v / |q|^2.

    Dividing by the squared length makes it a rotation for quaternions of any length.
    """
    scale = 2.0 / square(x, y, z, w)
    tx = scale * (y * vz - z * vy)
    ty = scale * (z * vx - x * vz)
    tz = scale * (x * vy - y * vx)
    return (
        vx + w * tx + y * tz - z * ty,
        vy + w * ty + z * tx - x * tz,
        vz + w * tz + x * ty - y * tx,
    )


def angle(ax: Any, ay: Any, az: Any, aw: Any, bx: Any, by: Any, bz: Any, bw: Any) -> Any:
    """Returns the angle in [0, pi] of the rotation from a to b, from the tangent of its half."""
    square(ax, ay, az, aw)
    square(bx, by, bz, bw)
    x, y, z, w = multiply(-ax, -ay, -az, aw, bx, by, bz, bw)
    return 2.0 * arctan2(elementwise.length(x, y, z), abs(w))


def from_euler(roll: Any, pitch: Any, yaw: Any) -> Quad:
    """Returns qz(yaw) qy(pitch) qx(roll), by half angles."""
    sr, cr = sin_and_cos(0.5 * roll)
    sp, cp = sin_and_cos(0.5 * pitch)
    sy, cy = sin_and_cos(0.5 * yaw)
    return (
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
        cr * cp * cy + sr * sp * sy,
    )


def to_euler(x: Any, y: Any, z: Any, w: Any) -> Triple:
    """Returns roll, pitch, yaw [rad].

    With half angles r, p, y the sums of the components factor as
    x - z = (cos p + sin p) sin(r - y), w + y = (cos p + sin p) cos(r - y),
    x + z = (cos p - sin p) sin(r + y), w - y = (cos p - sin p) cos(r + y),
    which stay accurate at every pitch, and for quaternions of any length.
    """
    first, middle, last = _angles(w - y, x + z, w + y, x - z)
    return wrap_once(first), middle - 0.5 * math.pi, wrap_once(last)


def axis_order(order: str) -> str:
    """Returns `order` if it is an order of axes; raises ValueError otherwise."""
    letters = order if isinstance(order, str) and len(order) == 3 else "---"
    allowed = set("xyz" if letters.islower() else "XYZ")
    if letters[1] in (letters[0], letters[2]) or not set(letters) <= allowed:
        raise ValueError(
            f"order must be three of xyz (fixed axes) or XYZ (turned ones), neighbours "
            f"different, got {order!r}"
        )
    return order


def from_angles(order: str, a: Any, b: Any, c: Any) -> Quad:
    """Returns the product of three rotations about axes; see `Quaternion.from_angles`."""
    turns = []
    for letter, turn in zip(order.lower(), (a, b, c)):
        s, zero = sin(0.5 * turn), 0.0 * turn
        turns.append((*(s if letter == own else zero for own in "xyz"), cos(0.5 * turn)))
    if order.islower():
        turns.reverse()
    return multiply(*multiply(*turns[0], *turns[1]), *turns[2])


def to_angles(order: str, x: Any, y: Any, z: Any, w: Any) -> Triple:
    """Returns the three angles [rad] about the axes in `order` (Bernardes and Viollet 2022).

    See `Quaternion.to_angles`.
    """
    q = (x, y, z, w)
    i, j, k = ("xyz".index(letter) for letter in order.lower())
    if order.isupper():  # rotating axes are fixed axes in reverse order
        i, k = k, i
    symmetric = i == k
    if symmetric:
        k = 3 - i - j
    sign = 0.5 * (i - j) * (j - k) * (k - i)
    if symmetric:
        first, middle, last = _angles(q[3], q[i], q[j], -sign * q[k])
    else:
        first, middle, last = _angles(
            q[3] - q[j], q[i] + sign * q[k], q[j] + q[3], q[i] - sign * q[k]
        )
        last, middle = sign * last, middle - 0.5 * math.pi
    first, last = wrap_once(first), wrap_once(last)
    return (last, middle, first) if order.isupper() else (first, middle, last)


def _angles(a: Any, b: Any, c: Any, d: Any) -> Triple:
    """Returns the three angles of a rotation.

    The angle of the point (a, b) is half the sum of the first and last, and that of (c, d) half
    their difference; the lengths of (a, b) and (c, d) determine the middle angle.
    """
    sum_square, difference_square = a * a + b * b, c * c + d * d
    noise = LOCK * _nonzero(sum_square + difference_square)
    half_sum, half_difference = arctan2(b, a), arctan2(d, c)
    half_sum = where(sum_square < noise, half_difference, half_sum)
    half_difference = where(difference_square < noise, half_sum, half_difference)
    return (
        half_sum + half_difference,
        2.0 * arctan2(sqrt(difference_square), sqrt(sum_square)),
        half_sum - half_difference,
    )


def from_matrix(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any, i: Any) -> Quad:
    """Returns the unit quaternion of a rotation matrix.

    Each row of the table is a multiple of the quaternion (Shepperd 1978); the row with the
    largest diagonal entry is the most accurate.
    """
    table = (
        (1.0 + a - e - i, b + d, c + g, h - f),
        (b + d, 1.0 - a + e - i, f + h, c - g),
        (c + g, f + h, 1.0 - a - e + i, d - b),
        (h - f, c - g, d - b, 1.0 + a + e + i),
    )
    return normalize(*row_of_largest([row[k] for k, row in enumerate(table)], table))


def to_matrix(x: Any, y: Any, z: Any, w: Any) -> tuple[Any, ...]:
    """Returns nine entries, row by row."""
    s = 2.0 / square(x, y, z, w)
    xx, yy, zz = x * x, y * y, z * z
    xy, xz, yz = x * y, x * z, y * z
    wx, wy, wz = w * x, w * y, w * z
    return (
        1.0 - s * (yy + zz),
        s * (xy - wz),
        s * (xz + wy),
        s * (xy + wz),
        1.0 - s * (xx + zz),
        s * (yz - wx),
        s * (xz - wy),
        s * (yz + wx),
        1.0 - s * (xx + yy),
    )


def slerp(ax: Any, ay: Any, az: Any, aw: Any, bx: Any, by: Any, bz: Any, bw: Any, t: Any) -> Quad:
    """Returns the point at `t` on the shorter of the arcs from a to b or -b (Shoemake 1985).

    The scalar product gives the sine of half the angle. This sine is inexact for small angles,
    where the weights hardly depend on it: their error is about t^2 roundings. The tangent of half
    the remaining angle gives its sine and cosine, and these give both weights.
    """
    a_length, b_length = sqrt(square(ax, ay, az, aw)), sqrt(square(bx, by, bz, bw))
    cosine = ax * bx + ay * by + az * bz + aw * bw
    b_length = copysign(b_length, cosine)
    cosine = cosine / (a_length * b_length)
    half = maximum(0.5 - 0.5 * cosine, 1e-30)  # the weights of no angle are those of a tiny one
    half_sine, half_cosine = sqrt(half), sqrt(1.0 - half)
    tangent = tan(t * arcsin(half_sine))
    part = 1.0 / (1.0 + tangent * tangent)
    weight_b = tangent * part / (half_sine * half_cosine)
    weight_a = (2.0 * part - 1.0 - cosine * weight_b) / a_length
    weight_b = weight_b / b_length
    return (
        weight_a * ax + weight_b * bx,
        weight_a * ay + weight_b * by,
        weight_a * az + weight_b * bz,
        weight_a * aw + weight_b * bw,
    )


def from_unit_axis(x: Any, y: Any, z: Any, turn: Any) -> Quad:
    """Returns the rotation by `turn` [rad] about a unit axis."""
    s = sin(0.5 * turn)
    return s * x, s * y, s * z, cos(0.5 * turn)


def from_axis_angle(x: Any, y: Any, z: Any, turn: Any) -> Quad:
    """Returns the rotation by `turn` [rad] about an axis of any length."""
    return from_unit_axis(*elementwise.normalize(x, y, z), turn)


def from_rotation_vector(x: Any, y: Any, z: Any) -> Quad:
    """Returns the exponential: the rotation by |v| about v."""
    turn = maximum(elementwise.length(x, y, z), _TINY)
    s = sin(0.5 * turn) / turn
    return s * x, s * y, s * z, cos(0.5 * turn)


def to_rotation_vector(x: Any, y: Any, z: Any, w: Any) -> Triple:
    """Returns the logarithm: axis times angle, with a length in [0, pi]."""
    part = elementwise.dot(x, y, z, x, y, z)
    _nonzero(part + w * w)
    size = maximum(sqrt(part), _TINY)
    s = copysign(2.0 * arctan2(size, abs(w)) / size, w)
    return s * x, s * y, s * z


def look(fx: Any, fy: Any, fz: Any, ux: Any, uy: Any, uz: Any) -> Quad:
    """Returns the rotation that turns x to the unit vector f, and z as close to u as possible."""
    lx, ly, lz = elementwise.cross(ux, uy, uz, fx, fy, fz)
    along = elementwise.length(lx, ly, lz) < 1e-9
    # Where forward is along up: the part of (0, 1, 0) or (-1, 0, 0) orthogonal to forward.
    steep = abs(fy) < 0.9
    sx, sy = where(steep, 0.0, -1.0), where(steep, 1.0, 0.0)
    part = sx * fx + sy * fy
    lx = where(along, sx - part * fx, lx)
    ly = where(along, sy - part * fy, ly)
    lz = where(along, -part * fz, lz)
    lx, ly, lz = elementwise.normalize(lx, ly, lz)
    ux, uy, uz = elementwise.cross(fx, fy, fz, lx, ly, lz)
    return from_matrix(fx, lx, ux, fy, ly, uy, fz, lz, uz)


def look_rotation(fx: Any, fy: Any, fz: Any, ux: Any, uy: Any, uz: Any) -> Quad:
    """Returns the rotation of `look`, for directions of any length."""
    return look(*elementwise.normalize(fx, fy, fz), *elementwise.normalize(ux, uy, uz))


def to_euler_rows(target: Any, q: Any) -> None:
    """Fills an array (n, 3) with roll, pitch, yaw [rad] of quaternions (n, 4), as `to_euler`.

    A call of NumPy takes longer than its arithmetic for up to some hundred rows, so pairs of
    components share one: the same bits in half the calls.
    """
    columns = q.T.copy()
    plus = columns[:2] + columns[2:]  # x + z, y + w
    minus = columns[:2] - columns[2:]  # x - z, y - w
    half_sum = np.arctan2(plus[0], -minus[1])
    half_difference = np.arctan2(minus[0], plus[1])
    plus *= plus
    minus *= minus
    sum_square, difference_square = minus[1] + plus[0], plus[1] + minus[0]
    half_pitch = np.arctan2(np.sqrt(difference_square), np.sqrt(sum_square))
    pitch = (half_pitch + half_pitch) - 0.5 * math.pi
    if np.count_nonzero(np.abs(pitch) > 1.57):  # only then can one of the squares be noise
        total = sum_square + difference_square
        refuse_zero(total, "quaternion")
        noise = LOCK * total
        half_sum = np.where(sum_square < noise, half_difference, half_sum)
        half_difference = np.where(difference_square < noise, half_sum, half_difference)
    turns = np.empty((2, len(q)), q.dtype)
    np.add(half_sum, half_difference, turns[0])
    np.subtract(half_sum, half_difference, turns[1])
    np.copyto(turns, turns - TURN, where=turns > math.pi)
    np.copyto(turns, turns + TURN, where=turns <= -math.pi)
    target[:, ::2] = turns.T
    target[:, 1] = pitch
