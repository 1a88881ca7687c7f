# SPDX-License-Identifier: Apache-2.0
"""Twists to the bases of robots."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from deepsim_robots import (
    Ackermann,
    DiffDrive,
    Mecanum,
    OmniWheels,
    PlanarBase,
    Robot,
    RobotConfig,
    RobotManager,
    guess_robot,
)
from deepsim_robots.controllers.names import controller_of
from deepsim_ros2.served.simulation import ServedWorld
from deepsim_spawn import ModelDescription
from deepsim_sync import World

from .commands import CommandError

Command = tuple[float, ...]


def _turning(_controller: Any, x: float, _y: float, turn: float) -> Command:
    return x, turn


def _steering(car: Ackermann, x: float, _y: float, turn: float) -> Command:
    """Returns speed and steering angle; a car cannot turn on the spot, but steers for it."""
    if x == 0.0:
        return 0.0, math.copysign(car.angle, turn) if turn else 0.0
    return x, math.atan(car.wheelbase * turn / x)


def _planar(_controller: Any, x: float, y: float, turn: float) -> Command:
    return x, y, turn


_BASES: dict[type[Any], Callable[[Any, float, float, float], Command]] = {
    DiffDrive: _turning,
    Ackermann: _steering,
    Mecanum: _planar,
    OmniWheels: _planar,
    PlanarBase: _planar,
}
"""The action of each controller of a base for a velocity x, y [m/s] and a turn rate [rad/s]."""


def add_base(world: World, model: str) -> None:
    """Lets a model drive on its wheels, if its description has some, from rest.

    The wheels get servos of their speeds; other joints stay as they are. Nothing happens for models
    that are robots already, that have no wheels, or that are in MJCF.
    """
    description = world.simulator.descriptions.models.get(model)
    if not isinstance(description, ModelDescription) or model in world.get(RobotManager):
        return
    config = guess_robot(model, description).config
    base = config.parts.get("base")
    if base is not None:
        gains = {name: config.gains[name] for name in base.joints}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of joints that nothing drives: clients may
            Robot(world, RobotConfig(None, parts={"base": base}, gains=gains), model)


class BaseCommands:
    """Drives the base of a robot in one world.

    Args:
        served: The world.
        robot: The robot.
        part: The part with the base.
    """

    def __init__(self, served: ServedWorld, robot: Robot, part: str) -> None:
        self._drive = robot.parts[part]
        controller = robot.config.parts[part].controller
        assert controller is not None  # a part without one has no drive
        self._controller = controller_of(controller)
        self._action = _BASES[type(self._controller)]
        self._worlds = np.array([served.number])

    @classmethod
    def of(cls, served: ServedWorld, model: str) -> BaseCommands | None:
        """Returns the commands of a robot's base, or None if it has none."""
        manager = served.simulation.world.get(RobotManager)
        if model not in manager:
            return None
        robot = manager[model]
        for part in robot.parts:
            controller = robot.config.parts[part].controller
            if controller is not None and type(controller_of(controller)) in _BASES:
                return cls(served, robot, part)
        return None

    def twist(self, message: Any) -> None:
        """Drives with the velocity of a Twist, within the bounds of the base, until the next one.

        Raises:
            CommandError: A component is not finite.
        """
        values = message.linear.x, message.linear.y, message.angular.z
        if not all(map(math.isfinite, values)):
            raise CommandError(f"a Twist must be finite, got {values}")
        action = np.array([self._action(self._controller, *values)])
        self._drive.act(np.clip(action, self._drive.lower, self._drive.upper), self._worlds)
