# SPDX-License-Identifier: Apache-2.0
"""Differential drive with wheels on the left and on the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from deepsim_robots.joint_group import JointGroup

from .controller import Controller, Drive
from .wheels import LinearBaseDrive, Servos, positive


@dataclass(frozen=True, kw_only=True)
class DiffDrive(Controller):
    """Drives a base at a forward speed v [m/s] and a yaw rate w [rad/s].

    Left wheels turn at (v - w separation / 2) / radius, right wheels at
    (v + w separation / 2) / radius [rad/s]; positive rates drive forward.

    >>> robot = Robot.load(World(MujocoSimulator(), steps_per_tick=10), "diffbot")
    >>> robot.parts["base"].upper.tolist()  # v and w
    [0.6, 3.0]
    >>> robot.set_action([[0.0, 1.0]])  # normalized: to the left
    >>> robot.world.tick()
    >>> robot.joints.rows.target_velocity[0].round(2).tolist()
    [-9.38, 9.38]

    Attributes:
        left: Joints of the left wheels.
        right: Joints of the right wheels.
        separation: Distance between left and right wheels [m].
        radius: Radius of the wheels [m].
        lower: Lowest v [m/s] and w [rad/s].
        upper: Highest v [m/s] and w [rad/s].
        acceleration: Largest change of v and w per second [m/s², rad/s²]; None for no limit.
        damping: Damping of the wheel joints; by default the robot's gains.
    """

    left: Sequence[str] = ()
    right: Sequence[str] = ()
    separation: float = 0.0
    radius: float = 0.0
    lower: Sequence[float] = (-1.0, -2.0)
    upper: Sequence[float] = (1.0, 2.0)
    acceleration: ArrayLike | None = None
    damping: ArrayLike | None = None

    def drive(self, joints: JointGroup) -> Drive:
        """Returns the drive of a base; see `Controller.drive`."""
        positive(separation=self.separation, radius=self.radius)
        if not (self.left and self.right):
            raise ValueError("a differential drive needs wheels on the left and on the right")
        wheels = Servos(joints, [*self.left, *self.right], self.damping)
        turn = self.separation / 2.0
        rows = [[1.0, -turn]] * len(self.left) + [[1.0, turn]] * len(self.right)
        matrix = [[each / self.radius for each in row] for row in rows]
        return LinearBaseDrive(joints, self.lower, self.upper, self.acceleration, wheels, matrix)
