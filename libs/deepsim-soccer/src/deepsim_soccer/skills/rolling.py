# SPDX-License-Identifier: Apache-2.0
"""Computes the spin and the decay of a rolling ball."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .motion import Floats


def rolled(velocity: ArrayLike, deceleration: float, time: float) -> Floats:
    """Returns the velocity of a ball after rolling for some time under F = -mu m g v / |v|.

    Args:
        velocity: Initial velocity, (..., 2) [m/s].
        deceleration: mu g [m/s²].
        time: Time since the ball had its initial velocity [s].

    Example:
        >>> rolled([2.0, 0.0], deceleration=0.5, time=1.0)
        array([1.5, 0. ])
    """
    moved = np.asarray(velocity, np.float64)
    return np.asarray(moved * kept_share(moved, deceleration, time)[..., None])


def kept_share(velocity: Floats, deceleration: float, time: float) -> Floats:
    """Returns the fraction of its speed that a rolling ball keeps, (...); see `rolled`.

    Only the x and y components of `velocity` count.
    """
    x, y = velocity[..., 0], velocity[..., 1]
    speed = np.sqrt(x * x + y * y)
    left = np.maximum(speed - deceleration * time, 0.0)
    return np.asarray(left / np.maximum(speed, 1e-300))


def rolling_spin(velocity: ArrayLike, radius: float) -> Floats:
    """Returns the angular velocity of a ball that rolls without slipping, z x v / r.

    Args:
        velocity: Velocity of the ball, (..., 3) [m/s].
        radius: Radius of the ball [m].

    Returns:
        The angular velocity in the world frame, (..., 3) [rad/s].
    """
    moved = np.asarray(velocity, np.float64)
    x, y = moved[..., 0] / radius, moved[..., 1] / radius
    return np.stack([-y, x, np.zeros_like(x)], axis=-1)
