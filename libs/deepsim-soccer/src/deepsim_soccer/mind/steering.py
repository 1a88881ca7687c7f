# SPDX-License-Identifier: Apache-2.0
"""Steers robots to places and directions with trapezoidal speed profiles."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_btree import Status
from deepsim_soccer.pitch import Pitch
from deepsim_soccer.skills import body_velocity, next_speed
from deepsim_soccer.skills.motion import Floats

Agents = Any
"""The number of a robot, or an array (n,) of numbers; robot r of world w has the number w N + r."""


@dataclass(frozen=True)
class Limits:
    """Limits of commanded speeds and accelerations; the defaults are as in single_nubot_gazebo.

    Attributes:
        speed: Largest speed [m/s].
        acceleration: Largest acceleration [m/s²].
        floor: Least speed while approaching the target [m/s].
        turn_speed: Largest yaw rate [rad/s].
        turn_acceleration: Largest yaw acceleration [rad/s²].
        turn_floor: Least yaw rate while approaching the target [rad/s].

    Example:
        >>> mind = SoloMind(pitch, limits=Limits(speed=2.0))
    """

    speed: float = 3.0
    acceleration: float = 2.0
    floor: float = 0.2
    turn_speed: float = math.radians(120.0)
    turn_acceleration: float = math.radians(120.0)
    turn_floor: float = math.radians(10.0)


class Steering:
    """Commands the robots of a pitch by number.

    Targets are in the team's frame, in which the team's own goal is on the left: this is the world
    frame for cyan, and the world frame turned by pi about z for magenta.

    Args:
        pitch: The robots.
        limits: Limits of speed and acceleration.
        period: Time between two commands [s]; by default the duration of a tick.

    Example:
        >>> steering = Steering(pitch)
        >>> robots = np.arange(len(pitch.names))
        >>> left = steering.go(robots, target=[0.0, 2.0])  # commands a speed for the next tick
        >>> left.shape
        (2,)
    """

    def __init__(
        self, pitch: Pitch, limits: Limits | None = None, period: float | None = None
    ) -> None:
        self.pitch, self.limits = pitch, limits or Limits()
        self.robots = len(pitch.names)
        self.period = pitch.world.delta_time if period is None else period
        self.side = np.tile(pitch.side, len(pitch.world))  # (W N,)
        self.world = np.repeat(np.arange(len(pitch.world)), self.robots)

    def rows(self, column: NDArray[Any]) -> NDArray[Any]:
        """Returns an array of the pitch, (W, N, ...), as a view by robot number, (W N, ...)."""
        return column.reshape(-1, *column.shape[2:])

    def place(self, agents: Agents) -> Floats:
        """Returns the positions of robots in the team's frame, (..., 2) [m]."""
        turned: Floats = self.side[agents][..., None] * self.rows(self.pitch.place)[agents]
        return turned

    def ball(self, agents: Agents) -> Floats:
        """Returns the position of the ball in the frame of each robot's team, (..., 2) [m]."""
        places = self.pitch.ball_place[self.world[agents]]
        return np.asarray(self.side[agents][..., None] * places[..., :2])

    def holds(self, agents: Agents) -> Any:
        """Returns whether robots hold the ball."""
        numbers = np.asarray(agents)
        return self.pitch.holder[self.world[numbers]] == numbers % self.robots

    def way(self, agents: Agents, target: ArrayLike) -> Floats:
        """Returns the vectors from robots to targets in the robots' frames, (..., 2) [m]."""
        turned = self.side[agents][..., None] * np.asarray(target, np.float64)
        ahead = turned - self.rows(self.pitch.place)[agents]
        return body_velocity(self.rows(self.pitch.yaw)[agents], ahead)

    def turn(self, agents: Agents, target: ArrayLike) -> Floats:
        """Commands robots to turn to targets; returns the remaining angles, (...) [rad]."""
        chosen, way = self.limits, self.way(agents, target)
        error = np.arctan2(way[..., 1], way[..., 0])
        sign, left = np.sign(error), np.abs(error)
        rate = sign * self.rows(self.pitch.velocity)[agents][..., 2]
        limits = chosen.turn_speed, chosen.turn_acceleration, self.period, chosen.turn_floor
        self.rows(self.pitch.command)[agents, 2] = sign * next_speed(left, rate, *limits)
        return np.asarray(left)

    def go(self, agents: Agents, target: ArrayLike, short: ArrayLike = 0.0) -> Floats:
        """Commands robots to drive straight to targets; returns the remaining distances, (...) [m].

        Args:
            agents: Numbers of the robots.
            target: Targets in the team's frame, (..., 2) [m].
            short: Distance from the target at which robots stop [m].
        """
        chosen, way = self.limits, self.way(agents, target)
        length = np.sqrt(way[..., 0] * way[..., 0] + way[..., 1] * way[..., 1])
        direction = way / np.maximum(length, 1e-9)[..., None]
        moving = self.rows(self.pitch.velocity)[agents][..., :2]
        towards = moving[..., 0] * direction[..., 0] + moving[..., 1] * direction[..., 1]
        left = np.maximum(length - short, 0.0)
        speed = next_speed(
            left, towards, chosen.speed, chosen.acceleration, self.period, chosen.floor
        )
        self.rows(self.pitch.command)[agents, :2] = speed[..., None] * direction
        return left

    def stop(self, agents: Agents, *, turning: bool = True) -> None:
        """Stops robots; if `turning` is false, they may continue to turn."""
        self.rows(self.pitch.command)[agents, : 3 if turning else 2] = 0.0

    def dribble(self, agents: Agents, on: bool) -> None:
        """Switches the dribblers of robots on or off."""
        self.rows(self.pitch.dribbles)[agents] = on

    def shoot(self, agents: Agents, ahead: ArrayLike, up: ArrayLike = 0.0) -> None:
        """Kicks the balls that robots hold, with horizontal and vertical speeds (...) [m/s]."""
        kick = self.rows(self.pitch.kick)
        kick[agents, 0], kick[agents, 1] = ahead, up


def running_until(done: Any) -> Any:
    """Returns SUCCESS where `done` is true, else RUNNING: a `Status`, or codes (n,) for arrays."""
    return pick(done, Status.SUCCESS, Status.RUNNING)


def pick(chosen: Any, yes: Any, no: Any) -> Any:
    """Returns `yes` where `chosen` is true, else `no`: a `Status`, or codes (n,) for arrays."""
    codes = np.where(chosen, yes, no)
    return Status(int(codes)) if codes.ndim == 0 else codes


def truth(value: Any) -> Any:
    """Converts a scalar to bool and leaves arrays unchanged, as `Check` expects."""
    return bool(value) if np.ndim(value) == 0 else value
