# SPDX-License-Identifier: Apache-2.0
"""Bases that move in any direction: mecanum wheels, and omni wheels around a circle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from deepsim_robots.joint_group import JointGroup

from .controller import Controller, Drive
from .wheels import LinearBaseDrive, Servos, positive


@dataclass(frozen=True, kw_only=True)
class Mecanum(Controller):
    """Actions are the velocity of a base in its own frame: x, y [m/s], yaw rate w [rad/s].

    With the rollers of the front left wheel along (1, -1) where they touch the ground, the wheels
    turn at (x -+ y -+ (length + width) / 2 w) / radius (Taheri et al., Kinematic Model of a Four
    Mecanum Wheeled Mobile Robot, 2015).

    >>> wheels = ["front_left", "front_right", "rear_left", "rear_right"]
    >>> base = Mecanum(
    ...     wheels=wheels, length=0.4, width=0.5, radius=0.1, lower=(-1, -1, -2), upper=(1, 1, 2)
    ... )
    >>> config = RobotConfig("rover.sdf", parts={"base": Part(wheels, base)})
    >>> config.parts["base"].controller.radius
    0.1

    Attributes:
        wheels: Joints of the wheels: front left, front right, rear left, rear right. All turn
            forward at positive rates.
        length: Distance between front and rear axles [m].
        width: Distance between left and right wheels [m].
        radius: Of the wheels [m].
        lower: Least velocity.
        upper: Largest velocity.
        acceleration: Largest change of each per second; None for any.
        damping: Of the wheels, in place of the robot's gains.
    """

    wheels: Sequence[str] = ()
    length: float = 0.0
    width: float = 0.0
    radius: float = 0.0
    lower: Sequence[float] = (-1.0, -1.0, -2.0)
    upper: Sequence[float] = (1.0, 1.0, 2.0)
    acceleration: ArrayLike | None = None
    damping: ArrayLike | None = None

    def drive(self, joints: JointGroup) -> Drive:
        """Returns the drive of a base."""
        positive(length=self.length, width=self.width, radius=self.radius)
        if len(self.wheels) != 4:
            raise ValueError(f"a mecanum base has 4 wheels, got {list(self.wheels)}")
        arm = (self.length + self.width) / 2.0
        signs = [[1, -1, -arm], [1, 1, arm], [1, 1, -arm], [1, -1, arm]]
        matrix = [[each / self.radius for each in row] for row in signs]
        servos = Servos(joints, self.wheels, self.damping)
        return LinearBaseDrive(joints, self.lower, self.upper, self.acceleration, servos, matrix)


@dataclass(frozen=True, kw_only=True)
class OmniWheels(Controller):
    """Actions are the velocity of a base in its own frame: x, y [m/s], yaw rate w [rad/s].

    A wheel at the angle a of a circle drives along the circle, anticlockwise at positive rates, and
    rolls freely across: it turns at (-sin(a) x + cos(a) y + distance w) / radius.

    >>> wheels = ["wheel_1", "wheel_2", "wheel_3"]
    >>> base = OmniWheels(
    ...     wheels=wheels, distance=0.2, radius=0.05, lower=(-1, -1, -3), upper=(1, 1, 3)
    ... )
    >>> config = RobotConfig("rover.sdf", parts={"base": Part(wheels, base)})
    >>> config.parts["base"].controller.distance
    0.2

    Attributes:
        wheels: Joints of the wheels, three or more.
        angles: Where each wheel is, from the x axis of the base [rad]; by default evenly spaced
            from pi / n on: four wheels are at the corners of a square.
        distance: From the centre of the base to each wheel [m].
        radius: Of the wheels [m].
        lower: Least velocity.
        upper: Largest velocity.
        acceleration: Largest change of each per second; None for any.
        damping: Of the wheels, in place of the robot's gains.
    """

    wheels: Sequence[str] = ()
    angles: Sequence[float] | None = None
    distance: float = 0.0
    radius: float = 0.0
    lower: Sequence[float] = (-1.0, -1.0, -2.0)
    upper: Sequence[float] = (1.0, 1.0, 2.0)
    acceleration: ArrayLike | None = None
    damping: ArrayLike | None = None

    def drive(self, joints: JointGroup) -> Drive:
        """Returns the drive of a base."""
        positive(distance=self.distance, radius=self.radius)
        count = len(self.wheels)
        if count < 3:
            raise ValueError(f"a base has three omni wheels or more, got {list(self.wheels)}")
        angles = self.angles
        if angles is None:
            angles = [math.pi * (2 * each + 1) / count for each in range(count)]
        if len(angles) != count:
            raise ValueError(f"there are {count} wheels, but {len(angles)} angles")
        matrix = [
            [-math.sin(a) / self.radius, math.cos(a) / self.radius, self.distance / self.radius]
            for a in angles
        ]
        servos = Servos(joints, self.wheels, self.damping)
        return LinearBaseDrive(joints, self.lower, self.upper, self.acceleration, servos, matrix)
