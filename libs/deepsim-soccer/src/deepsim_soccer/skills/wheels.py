# SPDX-License-Identifier: Apache-2.0
"""Four omni wheels at the corners of a square."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from .motion import Floats

# Arrays: NumPy takes a third of the time of a small operation to make one of a float.
_HALF, _LEAST, _WHOLE, _ZERO = (np.array(number) for number in (0.5**0.5, 1e-12, 1.0, 0.0))
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
    return np.asarray(np.add.reduce(moved[..., None, :] * _rims(arm, 0), axis=-1))


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
    wanted, now = np.broadcast_arrays(desired, actual)
    both = np.array([wanted.T, now.T], np.float64)
    reached = limited(both, arm, speed, acceleration * period, braking * period)
    return np.ascontiguousarray(reached.T)


def limited(
    both: Floats, arm: float, speed: float, speeding_up: float, slowing_down: float
) -> Floats:
    """Returns `limit_wheels` in a layout that NumPy is quick with where robots are few.

    Args:
        both: Wanted and actual V_x, V_y and w, (2, 3, ...); the wanted ones are overwritten.
        arm: From the robot's centre to each wheel [m].
        speed: Largest of a wheel [m/s].
        speeding_up: Largest change of a wheel that speeds up [m/s].
        slowing_down: Largest change of a wheel that slows down or turns back [m/s].

    Returns:
        (3, ...).
    """
    change: Floats = both[0]
    now: Floats = both[1]
    x, y, w = np.abs(change)
    fastest = _HALF * (x + y) + arm * w  # of the four wheels
    change /= np.maximum(fastest / speed, _WHOLE)
    change -= now
    rims = _rims(arm, both.ndim - 2) * both[:, None]  # (2, 4, 3, ...)
    faster, turning = np.add.reduce(rims, axis=2)
    allowed = np.where(faster * turning < _ZERO, slowing_down, speeding_up)
    share = np.minimum.reduce(allowed / np.maximum(np.abs(faster), _LEAST))
    change *= np.minimum(share, _WHOLE)
    change += now
    return change


@lru_cache(maxsize=64)
def _rims(arm: float, axes: int) -> Floats:
    """Returns the speeds of rims per V_x, V_y and w, (4, 3, 1, ...) with so many axes more."""
    per_unit = np.concatenate([_SIGNS, np.full((4, 1), -arm)], axis=1)
    return per_unit.reshape(4, 3, *(axes * [1]))
