# SPDX-License-Identifier: Apache-2.0
"""Steers robots to places and directions, by trapezoids of speed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_btree import Status
from deepsim_soccer.pitch import Pitch
from deepsim_soccer.skills import body_velocity, next_speed, wrap_angle
from deepsim_soccer.skills.motion import Floats

Agents = Any
"""The number of one robot, or an array (n,) of numbers; robot r of world w has w N + r."""


@dataclass(frozen=True)
class Limits:
    """Speeds of a mind; the defaults are those of single_nubot_gazebo.

    Attributes:
        speed: Largest [m/s].
        acceleration: [m/s²].
        floor: Least speed before the goal [m/s].
        turn_speed: Largest [rad/s].
        turn_acceleration: [rad/s²].
        turn_floor: Least turn before the goal [rad/s].
    """

    speed: float = 3.0
    acceleration: float = 2.0
    floor: float = 0.2
    turn_speed: float = math.radians(120.0)
    turn_acceleration: float = math.radians(120.0)
    turn_floor: float = math.radians(10.0)


class Steering:
    """Commands robots of a pitch, by number.

    Targets are in the team's frame, in which the own goal is on the left: for magenta it is the
    world's frame, turned by pi about z.

    Args:
        pitch: The robots.
        limits: Of their speeds.
        period: Between two commands [s]; that of a tick by default.
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
        """Returns a view of an attribute of the pitch, (W, N, ...), by robots, (W N, ...)."""
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
        """Returns the ways to targets in the robots' frames, (..., 2) [m]."""
        turned = self.side[agents][..., None] * np.asarray(target, np.float64)
        ahead = turned - self.rows(self.pitch.place)[agents]
        return body_velocity(self.rows(self.pitch.yaw)[agents], ahead)

    def turn(self, agents: Agents, target: ArrayLike) -> Floats:
        """Turns robots to targets, and returns the angles left, (...) [rad]."""
        way = self.way(agents, target)
        error = np.arctan2(way[..., 1], way[..., 0])
        return self.turn_by(agents, error)

    def turn_by(self, agents: Agents, error: Floats) -> Floats:
        """Turns robots by angles, and returns these without their signs, (...) [rad]."""
        chosen, sign = self.limits, np.sign(error)
        rate = sign * self.rows(self.pitch.velocity)[agents][..., 2]
        left = np.abs(wrap_angle(error))
        command = self.rows(self.pitch.command)
        command[agents, 2] = sign * next_speed(
            left,
            rate,
            chosen.turn_speed,
            chosen.turn_acceleration,
            self.period,
            chosen.turn_floor,
        )
        return np.asarray(left)

    def go(self, agents: Agents, target: ArrayLike, short: ArrayLike = 0.0) -> Floats:
        """Drives robots straight to targets, and returns the distances left, (...) [m].

        Args:
            agents: Numbers of robots.
            target: In the team's frame, (..., 2) [m].
            short: Distance from the target at which they stop [m].
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
        """Stops robots; with `turning`, their turn as well."""
        self.rows(self.pitch.command)[agents, : 3 if turning else 2] = 0.0

    def dribble(self, agents: Agents, on: bool) -> None:
        """Switches the dribblers of robots on or off."""
        self.rows(self.pitch.dribbles)[agents] = on

    def shoot(self, agents: Agents, ahead: ArrayLike, up: ArrayLike = 0.0) -> None:
        """Kicks with speeds ahead and up, (...) [m/s], where robots hold the ball."""
        kick = self.rows(self.pitch.kick)
        kick[agents, 0], kick[agents, 1] = ahead, up


def running_until(done: Any) -> Any:
    """Returns SUCCESS where `done` is true and RUNNING elsewhere: a `Status`, or codes (n,)."""
    return pick(done, Status.SUCCESS, Status.RUNNING)


def pick(chosen: Any, yes: Any, no: Any) -> Any:
    """Returns one of two statuses, by a bool; or an array of codes, by an array of bools."""
    codes = np.where(chosen, yes, no)
    return Status(int(codes)) if codes.ndim == 0 else codes


def truth(value: Any) -> Any:
    """Returns a bool, or an array of them, as a `Check` takes it."""
    return bool(value) if np.ndim(value) == 0 else value
