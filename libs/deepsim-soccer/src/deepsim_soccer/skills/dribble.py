# SPDX-License-Identifier: Apache-2.0
"""Dribbling: the conditions for holding the ball, and the motion of a held ball."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .motion import Floats, anywhere, kick_direction


def can_dribble(
    robot: ArrayLike, yaw: ArrayLike, ball: ArrayLike, distance: float, angle: float
) -> NDArray[np.bool_]:
    """Returns whether the ball is near the robot and in front of its kicker, (...).

    Args:
        robot: Position of the robot, (..., 2) [m].
        yaw: Yaw of the robot, (...) [rad].
        ball: Position of the ball, (..., 2) [m].
        distance: Largest distance |P_rs| of the ball, inclusive [m].
        angle: Full angle of the cone about D_K that must contain the ball, inclusive [rad]; below
            pi.

    Example:
        >>> can_dribble([0.0, 0.0], 0.0, [[0.4, 0.0], [-0.4, 0.0]], 0.5, 0.5)
        array([ True, False])
    """
    way = np.asarray(ball, np.float64) - np.asarray(robot, np.float64)
    return in_reach(way, kick_direction(yaw), distance, angle)


def in_reach(way: Floats, direction: Floats, distance: float, angle: float) -> NDArray[np.bool_]:
    """Computes `can_dribble` from vectors.

    Args:
        way: Vector from the robot to the ball, (..., 2) [m].
        direction: Direction D_K of the kicker, (..., 2).
        distance: Largest distance of the ball [m].
        angle: Full angle of the cone about D_K [rad].
    """
    x, y = way[..., 0], way[..., 1]
    length = np.sqrt(x * x + y * y)
    near = np.asarray(length <= distance)
    if not anywhere(near):
        return near
    ahead = direction[..., 0] * x + direction[..., 1] * y
    # 1e-12 keeps a ball on the edge of the cone inside despite rounding.
    return np.asarray(near & (ahead >= math.cos(angle / 2.0) * length - 1e-12))


def held_position(robot: ArrayLike, yaw: ArrayLike, gap: float) -> Floats:
    """Returns the position of a dribbled ball, (..., 2) [m]: P_rs = gap D_K, equation (2).

    Args:
        robot: Position of the robot, (..., 2) [m].
        yaw: Yaw of the robot, (...) [rad].
        gap: Distance of the ball from the robot's centre [m].
    """
    return np.asarray(np.asarray(robot, np.float64) + gap * kick_direction(yaw))


def held_velocity(
    velocity: ArrayLike, yaw_rate: ArrayLike, yaw: ArrayLike, gap: float, period: float = 0.0
) -> Floats:
    """Returns the velocity of a dribbled ball, (..., 2) [m/s].

    Args:
        velocity: Velocity of the robot in the world frame, (..., 2) [m/s].
        yaw_rate: Yaw rate of the robot, (...) [rad/s].
        yaw: Yaw of the robot, (...) [rad].
        gap: Distance of the ball from the robot's centre [m].
        period: 0 for the instantaneous velocity, v + w x r; otherwise the duration of a step [s]:
            the returned velocity then takes the ball exactly to its place after the step.
    """
    moved, rate = np.asarray(velocity, np.float64), np.asarray(yaw_rate, np.float64)
    reach = gap * kick_direction(yaw)
    if period == 0.0:
        return np.stack(
            [moved[..., 0] - rate * reach[..., 1], moved[..., 1] + rate * reach[..., 0]], axis=-1
        )
    turned = gap * kick_direction(np.asarray(yaw, np.float64) + rate * period)
    return np.asarray(moved + (turned - reach) / period)
