# SPDX-License-Identifier: Apache-2.0
"""The two longer formulas of unit quaternions, on bare floats."""

from __future__ import annotations

import math
import sys

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


def great_arc(
    ax: float,
    ay: float,
    az: float,
    aw: float,
    bx: float,
    by: float,
    bz: float,
    bw: float,
    t: float,
) -> tuple[float, float, float, float]:
    """Point at `t` on the shorter of the arcs from unit quaternion a to b or -b (Shoemake 1985)."""
    if ax * bx + ay * by + az * bz + aw * bw < 0.0:
        bx, by, bz, bw = -bx, -by, -bz, -bw
    # Twice the angle at the base of the triangle 0, a, b: accurate where acos(dot) is not.
    gap = math.hypot(ax - bx, ay - by, az - bz, aw - bw)
    total = math.hypot(ax + bx, ay + by, az + bz, aw + bw)
    angle = 2.0 * math.atan2(gap, total)
    if angle == 0.0:
        weight_a, weight_b = 1.0 - t, t
    else:
        sine = math.sin(angle)
        weight_a = math.sin((1.0 - t) * angle) / sine
        weight_b = math.sin(t * angle) / sine
    return (
        weight_a * ax + weight_b * bx,
        weight_a * ay + weight_b * by,
        weight_a * az + weight_b * bz,
        weight_a * aw + weight_b * bw,
    )


def _principal(angle: float) -> float:
    # Both halves come from atan2, so the angle lies within [-2 pi, 2 pi]: one turn is enough.
    if angle > math.pi:
        return angle - 2.0 * math.pi
    if angle <= -math.pi:
        return angle + 2.0 * math.pi
    return angle
