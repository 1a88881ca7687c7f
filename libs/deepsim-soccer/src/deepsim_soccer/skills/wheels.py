# SPDX-License-Identifier: Apache-2.0
"""Four omni wheels at the corners of a square."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .motion import Floats

_HALF = 0.5**0.5
# How each wheel drives: front left, rear left, rear right, front right.
_SIGNS = np.array([[_HALF, -_HALF], [_HALF, _HALF], [-_HALF, _HALF], [-_HALF, -_HALF]])


def wheel_speeds(velocity: ArrayLike, arm: float = 0.203) -> Floats:
    """Returns the speeds of the wheels' rims, u_i = 0.707 (+-V_x +- V_y) - w L.

    Args:
        velocity: V_x, V_y [m/s] and w [rad/s] in the robot's frame, (..., 3).
        arm: L, from the robot's centre to each wheel [m].

    Returns:
        (..., 4) [m/s]: front left, rear left, rear right, front right; clockwise is positive.
    """
    moved = np.asarray(velocity, np.float64)
    x, y, w = moved[..., 0, None], moved[..., 1, None], moved[..., 2, None]
    return np.asarray(_SIGNS[:, 0] * x + _SIGNS[:, 1] * y - arm * w)


def body_from_wheels(wheels: ArrayLike, arm: float = 0.203) -> Floats:
    """Returns V_x, V_y and w, (..., 3), that fit four wheels' speeds best; see `wheel_speeds`."""
    u = np.asarray(wheels, np.float64)
    x = 0.5 * (_SIGNS[:, 0] * u).sum(axis=-1)
    y = 0.5 * (_SIGNS[:, 1] * u).sum(axis=-1)
    return np.stack([x, y, -u.sum(axis=-1) / (4.0 * arm)], axis=-1)


def limit_wheels(
    desired: ArrayLike,
    actual: ArrayLike,
    period: float,
    *,
    arm: float = 0.203,
    speed: float = 5.0,
    acceleration: float = 2.5,
    braking: float = 5.0,
) -> Floats:
    """Returns the velocity nearest to the desired one that the wheels can reach in a period.

    Speeds are scaled down together, so that the direction stays. Of the change, the share is made
    that no wheel's limit forbids.

    Args:
        desired: V_x, V_y and w in the robot's frame, (..., 3).
        actual: Those that it has, (..., 3).
        period: [s].
        arm: From the robot's centre to each wheel [m].
        speed: Largest of a wheel [m/s].
        acceleration: Largest of a wheel that speeds up [m/s²].
        braking: Largest of a wheel that slows down or turns back [m/s²].

    Returns:
        (..., 3).
    """
    wanted, now = np.asarray(desired, np.float64), np.asarray(actual, np.float64)
    target = wheel_speeds(wanted, arm)
    scale = np.maximum(np.abs(target).max(axis=-1, keepdims=True) / speed, 1.0)
    wanted, target = wanted / scale, target / scale
    turning = wheel_speeds(now, arm)
    change = target - turning
    allowed = np.where(change * turning < 0.0, braking, acceleration) * period
    share = np.minimum(allowed / np.maximum(np.abs(change), 1e-12), 1.0)
    return np.asarray(now + share.min(axis=-1, keepdims=True) * (wanted - now))
