# SPDX-License-Identifier: Apache-2.0
"""Twists to the bases of robots."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

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
from deepsim_ros2.simulation import ServedWorld
from deepsim_spawn import ModelDescription
from deepsim_sync import World

from .commands import CommandError

Command = tuple[float, ...]


class _Kind(NamedTuple):
    """A kind of base: between a velocity x, y [m/s] with a turn rate [rad/s], and an action."""

    action: Callable[[Any, float, float, float], Command]
    twist: Callable[..., Command]


def _steering(car: Ackermann, x: float, _y: float, turn: float) -> Command:
    """Returns speed and steering angle; a car cannot turn on the spot, but steers for it."""
    if x == 0.0:
        return 0.0, math.copysign(car.angle, turn) if turn else 0.0
    return x, math.atan(car.wheelbase * turn / x)


_TURNING = _Kind(lambda _, x, _y, turn: (x, turn), lambda _, x, turn: (x, 0.0, turn))
_PLANAR = _Kind(lambda _, x, y, turn: (x, y, turn), lambda _, x, y, turn: (x, y, turn))
_BASES: dict[type[Any], _Kind] = {
    DiffDrive: _TURNING,
    Ackermann: _Kind(
        _steering, lambda car, x, angle: (x, 0.0, x * math.tan(angle) / car.wheelbase)
    ),
    Mecanum: _PLANAR,
    OmniWheels: _PLANAR,
    PlanarBase: _PLANAR,
}


def base_part(robot: Robot) -> str | None:
    """Returns the part of a robot that is a base, or None."""
    for part in robot.parts:
        controller = robot.config.parts[part].controller
        if controller is not None and type(controller_of(controller)) in _BASES:
            return part
    return None


def commanded_twist(robot: Robot, part: str) -> Command:
    """Returns the velocity that the base is to reach in world 0: x, y [m/s], turn rate [rad/s]."""
    controller = robot.config.parts[part].controller
    assert controller is not None  # of base_part
    own, memory = controller_of(controller), robot.parts[part].memory
    action = memory["asked"] if "asked" in memory else memory["velocity"]  # the latter has no ramps
    return _BASES[type(own)].twist(own, *action[0].tolist())


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
        self._action = _BASES[type(self._controller)].action
        self._worlds = np.array([served.number])

    @classmethod
    def of(cls, served: ServedWorld, model: str) -> BaseCommands | None:
        """Returns the commands of a robot's base, or None if it has none."""
        manager = served.simulation.world.get(RobotManager)
        if model not in manager:
            return None
        part = base_part(manager[model])
        return None if part is None else cls(served, manager[model], part)

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
