# SPDX-License-Identifier: Apache-2.0
"""Formulas for poses px, py, pz, qx, qy, qz, qw and twists vx, vy, vz, wx, wy, wz."""

from __future__ import annotations

from typing import Any

from . import rotations
from .elementwise import cos, cross, length, sin, where


def transform(
    px: Any, py: Any, pz: Any, qx: Any, qy: Any, qz: Any, qw: Any, x: Any, y: Any, z: Any
) -> tuple[Any, Any, Any]:
    """Transforms a point from the frame of the pose to its parent frame."""
    x, y, z = rotations.rotate(qx, qy, qz, qw, x, y, z)
    return px + x, py + y, pz + z


def inverse_transform(*c: Any) -> tuple[Any, Any, Any]:
    """Transforms a point from the parent frame to the frame of the pose."""
    px, py, pz, qx, qy, qz, qw, x, y, z = c
    return rotations.rotate(-qx, -qy, -qz, qw, x - px, y - py, z - pz)


def compose(*c: Any) -> tuple[Any, ...]:
    """Converts the second pose from the frame of the first to the parent frame of the first."""
    px, py, pz, qx, qy, qz, qw, x, y, z, ox, oy, oz, ow = c
    x, y, z = rotations.rotate(qx, qy, qz, qw, x, y, z)
    ox, oy, oz, ow = rotations.multiply(qx, qy, qz, qw, ox, oy, oz, ow)
    return px + x, py + y, pz + z, ox, oy, oz, ow


def inverse(px: Any, py: Any, pz: Any, qx: Any, qy: Any, qz: Any, qw: Any) -> tuple[Any, ...]:
    """Returns the pose of the parent frame in the frame of the pose."""
    qx, qy, qz, qw = rotations.inverse(qx, qy, qz, qw)
    x, y, z = rotations.rotate(qx, qy, qz, qw, px, py, pz)
    return -x, -y, -z, qx, qy, qz, qw


def relative(*c: Any) -> tuple[Any, ...]:
    """Returns the second pose in the frame of the first."""
    return compose(*inverse(*c[:7]), *c[7:])


def interpolate(*c: Any) -> tuple[Any, ...]:
    """Interpolates the position linearly and the orientation by slerp."""
    a, b, t = c[:7], c[7:10], c[14]
    line = [(1.0 - t) * a[i] + t * b[i] for i in range(3)]
    return (*line, *rotations.slerp(*a[3:], *c[10:]))


def to_matrix(px: Any, py: Any, pz: Any, *q: Any) -> tuple[Any, ...]:
    """Returns the sixteen entries, row by row, of the homogeneous matrix."""
    a, b, c, d, e, f, g, h, i = rotations.to_matrix(*q)
    zero = 0.0
    return (a, b, c, px, d, e, f, py, g, h, i, pz, zero, zero, zero, 1.0)


def from_matrix(*m: Any) -> tuple[Any, ...]:
    """Returns the pose of a homogeneous matrix, given row by row."""
    return (m[3], m[7], m[11], *rotations.from_matrix(*m[:3], *m[4:7], *m[8:11]))


def rotate_twist(*c: Any) -> tuple[Any, ...]:
    """Rotates both velocities by a quaternion."""
    q = c[:4]
    return (*rotations.rotate(*q, *c[4:7]), *rotations.rotate(*q, *c[7:]))


def velocity_at(*c: Any) -> tuple[Any, ...]:
    """Returns the velocity of a point of a rigid body: v + w x r."""
    x, y, z = cross(*c[3:])
    return c[0] + x, c[1] + y, c[2] + z


def transform_twist(*c: Any) -> tuple[Any, ...]:
    """Moves the reference point to the parent's origin: w' = R w, v' = R v + p x w'."""
    p, turned = c[:3], rotate_twist(*c[3:])
    x, y, z = cross(*p, *turned[3:])
    return (turned[0] + x, turned[1] + y, turned[2] + z, *turned[3:])


def inverse_transform_twist(*c: Any) -> tuple[Any, ...]:
    """Applies the inverse of `transform_twist`."""
    p, (qx, qy, qz, qw), v, w = c[:3], c[3:7], c[7:10], c[10:]
    x, y, z = cross(*p, *w)
    return rotate_twist(-qx, -qy, -qz, qw, v[0] - x, v[1] - y, v[2] - z, *w)


def exponential(vx: Any, vy: Any, vz: Any, wx: Any, wy: Any, wz: Any) -> tuple[Any, ...]:
    """Returns the pose that a frame reaches in one second under a constant twist in its own axes.

    The position is v + b w x v + c w x (w x v) with b = (1 - cos a) / a^2 and
    c = (a - sin a) / a^3 for the angle a = |w| (Murray, Li and Sastry 1994).
    """
    a = length(wx, wy, wz)
    square = a * a
    small = a < 0.3  # where the differences cancel, their series do not
    safe = where(small, 1.0, a)
    half = sin(0.5 * safe) / safe
    b = where(small, _series(square, _EXP_B), 2.0 * half * half)
    c = where(small, _series(square, _EXP_C), (safe - sin(safe)) / (safe * safe * safe))
    move = _bend(b, c, vx, vy, vz, wx, wy, wz)
    return (*move, *rotations.from_rotation_vector(wx, wy, wz))


def logarithm(px: Any, py: Any, pz: Any, *q: Any) -> tuple[Any, ...]:
    """Returns the constant twist, in the frame's own axes, that reaches the pose in one second.

    It inverts `exponential`: the linear part is p - w x p / 2 + c w x (w x p) with
    c = (1 - (a / 2) cot(a / 2)) / a^2.
    """
    wx, wy, wz = rotations.to_rotation_vector(*q)
    a = length(wx, wy, wz)
    square = a * a
    small = a < 0.3
    safe = where(small, 1.0, a)
    ratio = cos(0.5 * safe) / sin(0.5 * safe)  # the tangent has no value at half a turn
    c = where(small, _series(square, _LOG_C), (1.0 - 0.5 * safe * ratio) / (safe * safe))
    return (*_bend(-0.5, c, px, py, pz, wx, wy, wz), wx, wy, wz)


_EXP_B = (1 / 2, -1 / 24, 1 / 720, -1 / 40320, 1 / 3628800)
_EXP_C = (1 / 6, -1 / 120, 1 / 5040, -1 / 362880, 1 / 39916800)
_LOG_C = (1 / 12, 1 / 720, 1 / 30240, 1 / 1209600, 1 / 47900160, 691 / 1307674368000)


def _series(square: Any, factors: tuple[float, ...]) -> Any:
    total = factors[-1]
    for factor in factors[-2::-1]:
        total = total * square + factor
    return total


def _bend(
    b: Any, c: Any, vx: Any, vy: Any, vz: Any, wx: Any, wy: Any, wz: Any
) -> tuple[Any, Any, Any]:
    """Returns v + b w x v + c w x (w x v)."""
    x, y, z = cross(wx, wy, wz, vx, vy, vz)
    tx, ty, tz = cross(wx, wy, wz, x, y, z)
    return vx + b * x + c * tx, vy + b * y + c * ty, vz + b * z + c * tz
