# SPDX-License-Identifier: Apache-2.0
"""Kicks along the ground."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .motion import Floats, kick_direction


def ground_pass(yaw: ArrayLike, speed: ArrayLike) -> Floats:
    """Returns the velocity of a ball kicked along the ground: v_0 D_K, equation (3).

    Args:
        yaw: Yaw of the robot, (...) [rad].
        speed: v_0, (...) [m/s].

    Returns:
        The velocity in the world frame, (..., 3) [m/s].
    """
    direction, speeds = kick_direction(yaw), np.asarray(speed, np.float64)
    x, y = speeds * direction[..., 0], speeds * direction[..., 1]
    return np.stack([x, y, np.zeros_like(x)], axis=-1)


def goal_crossing(ball: ArrayLike, yaw: ArrayLike, goal_x: ArrayLike) -> tuple[Floats, Floats]:
    """Computes where a ball kicked along `yaw` crosses the line x = goal_x.

    Args:
        ball: Position of the ball, (..., 2) [m].
        yaw: Direction of the kick, (...) [rad].
        goal_x: Position of the goal line, (...) [m].

    Returns:
        The distance d from the ball to the crossing, and the y of the crossing, (...) [m] each;
        both are infinite if the kick leads away from the line. The published code refuses a y of
        10 m or more.
    """
    place, direction = np.asarray(ball, np.float64), kick_direction(yaw)
    ahead = np.asarray(goal_x, np.float64) - place[..., 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = ahead / direction[..., 0]
    distance = np.where(distance > 0.0, distance, np.inf)
    with np.errstate(invalid="ignore"):
        y = place[..., 1] + np.where(np.isinf(distance), np.inf, distance * direction[..., 1])
    return np.asarray(distance), np.asarray(y)
