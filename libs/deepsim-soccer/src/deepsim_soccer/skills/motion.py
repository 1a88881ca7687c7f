# SPDX-License-Identifier: Apache-2.0
"""Converts directions and velocities between the world frame and a robot's frame."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def anywhere(mask: NDArray[np.bool_]) -> bool:
    """Returns whether any value is true; faster than `np.any` for small arrays."""
    return 1 in mask.tobytes()


def pair(x: Floats, y: Floats) -> Floats:
    """Returns two coordinates as one array, (..., 2); several times faster than `np.stack`."""
    both = np.empty((*np.broadcast(x, y).shape, 2))
    both[..., 0], both[..., 1] = x, y
    return both


def kick_direction(yaw: ArrayLike) -> Floats:
    """Returns D_Kw of equation (1), the unit vector of the kicker in the world frame, (..., 2)."""
    angle = np.asarray(yaw, np.float64)
    return pair(np.cos(angle), np.sin(angle))


def world_velocity(yaw: ArrayLike, velocity: ArrayLike) -> Floats:
    """Converts a velocity from the robot's frame to the world frame: V_x D_K + V_y (z x D_K).

    Args:
        yaw: Yaw of the robot, (...) [rad].
        velocity: V_x and V_y in the robot's frame, (..., 2) [m/s].

    Example:
        >>> world_velocity(np.pi / 2, [1.0, 0.0]).round(3)
        array([0., 1.])
    """
    angle, moved = np.asarray(yaw, np.float64), np.asarray(velocity, np.float64)
    c, s, x, y = np.cos(angle), np.sin(angle), moved[..., 0], moved[..., 1]
    return pair(c * x - s * y, c * y + s * x)


def body_velocity(yaw: ArrayLike, velocity: ArrayLike) -> Floats:
    """Converts a velocity from the world frame to the robot's; the inverse of `world_velocity`."""
    return world_velocity(-np.asarray(yaw, np.float64), velocity)


def wrap_angle(angle: ArrayLike) -> Floats:
    """Returns angles shifted by multiples of 2 pi into -pi .. pi, (...) [rad]."""
    turned = np.asarray(angle, np.float64)
    return np.asarray(turned - 2.0 * math.pi * np.round(turned / (2.0 * math.pi)))
