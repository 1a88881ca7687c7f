# SPDX-License-Identifier: Apache-2.0
"""The motion of a ball that a robot dribbles, that it kicks along the ground, and that rolls."""

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


def in_reach(
    way: Floats, direction: Floats, distance: float | Floats, angle: float
) -> NDArray[np.bool_]:
    """Computes `can_dribble` from vectors.

    Args:
        way: Vector from the robot to the ball, (..., 2) [m].
        direction: Direction D_K of the kicker, (..., 2).
        distance: Largest distance of the ball, one or (...) [m].
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
