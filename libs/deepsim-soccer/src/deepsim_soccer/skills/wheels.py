# SPDX-License-Identifier: Apache-2.0
"""Kinematics of a base with four omni wheels at the corners of a square."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from .motion import Floats

# Arrays, because NumPy spends a third of a small operation's time on converting a float.
_HALF, _LEAST, _WHOLE, _ZERO = (np.array(number) for number in (0.5**0.5, 1e-12, 1.0, 0.0))
# Drive directions of the wheels: front left, rear left, rear right, front right.
_SIGNS = np.array([[_HALF, -_HALF], [_HALF, _HALF], [-_HALF, _HALF], [-_HALF, -_HALF]])


def wheel_speeds(velocity: ArrayLike, arm: float = 0.203) -> Floats:
    """Returns the rim speeds of the wheels, u_i = 0.707 (+-V_x +- V_y) - w L.

    Args:
        velocity: V_x, V_y [m/s] and w [rad/s] in the robot's frame, (..., 3).
        arm: Distance L from the robot's centre to each wheel [m].

    Returns:
        Speeds of the front left, rear left, rear right and front right wheel, (..., 4) [m/s];
        positive speeds turn the robot clockwise.
    """
    moved = np.asarray(velocity, np.float64)
    return np.asarray(np.add.reduce(moved[..., None, :] * _rims(arm, 0), axis=-1))


def body_from_wheels(wheels: ArrayLike, arm: float = 0.203) -> Floats:
    """Returns the V_x, V_y and w, (..., 3), that best fit rim speeds, (..., 4).

    This is the least-squares inverse of `wheel_speeds`.
    """
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

    The desired velocity is scaled down to the wheels' top speed without changing its direction;
    then the change of velocity is scaled down until every wheel can follow it.

    Args:
        desired: Desired V_x, V_y [m/s] and w [rad/s] in the robot's frame, (..., 3).
        actual: Current V_x, V_y [m/s] and w [rad/s], (..., 3).
        period: Control period [s].
        arm: Distance from the robot's centre to each wheel [m].
        speed: Top speed of a wheel [m/s].
        acceleration: Largest acceleration of a wheel [m/s²].
        braking: Largest deceleration of a wheel, also when it reverses [m/s²].

    Returns:
        The reachable V_x, V_y [m/s] and w [rad/s], (..., 3).
    """
    wanted, now = np.broadcast_arrays(desired, actual)
    both = np.array([wanted.T, now.T], np.float64)
    reached = limited(both, arm, speed, acceleration * period, braking * period)
    return np.ascontiguousarray(reached.T)


def limited(
    both: Floats, arm: float, speed: float, speeding_up: float, slowing_down: float
) -> Floats:
    """Computes `limit_wheels` in a memory layout that is fast in NumPy for small numbers of robots.

    Args:
        both: Desired and actual V_x, V_y [m/s] and w [rad/s], (2, 3, ...); the desired values are
            overwritten.
        arm: Distance from the robot's centre to each wheel [m].
        speed: Top speed of a wheel [m/s].
        speeding_up: Largest gain of a wheel's speed [m/s].
        slowing_down: Largest loss of a wheel's speed, also when it reverses [m/s].

    Returns:
        The reachable V_x, V_y and w, (3, ...).
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
    """Returns rim speeds per unit of V_x, V_y and w: (4, 3), and `axes` more axes of length 1."""
    per_unit = np.concatenate([_SIGNS, np.full((4, 1), -arm)], axis=1)
    return per_unit.reshape(4, 3, *(axes * [1]))
