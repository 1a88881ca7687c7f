# SPDX-License-Identifier: Apache-2.0
"""Control of joint velocities and efforts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deepsim_robots.joint_group import JointGroup
from deepsim_sync import WorldNumbers

from .controller import Controller, Drive, Floats, PerJoint, limits_of
from .servo import ServoDrive, gains_of


@dataclass(frozen=True, kw_only=True)
class JointVelocity(Controller):
    """Drives joints at target velocities [rad/s or m/s] by damping; 0 after a reset.

    >>> part = Part(["joint_.*"], JointVelocity(lower=-0.5, upper=0.5, normalized=False))
    >>> config = replace(find_robot("arm").load(), parts={"arm": part})
    >>> robot = Robot(World(MujocoSimulator()), config, "arm")
    >>> robot.set_action([[0.5, 0, 0, 0, 0, 0]])
    >>> robot.world.tick()
    >>> robot.joints.rows.target_velocity[0, :6].tolist()
    [0.5, 0.0, 0.0, 0.0, 0.0, 0.0]

    Attributes:
        lower: Lowest velocity; by default the negative of the joint's limit.
        upper: Highest velocity; by default the joint's limit.
        damping: Damping of the joints, instead of the robot's.
    """

    lower: PerJoint | None = None
    upper: PerJoint | None = None
    damping: PerJoint | None = None

    def drive(self, joints: JointGroup) -> Drive:
        """Returns the drive of some joints."""
        limit = joints.traits.velocity_limit
        limits = limits_of(joints, self.lower, self.upper, (-limit, limit))
        return VelocityDrive(joints, limits, gains_of(joints, None, self.damping, held=False))


@dataclass(frozen=True, kw_only=True)
class JointEffort(Controller):
    """Applies efforts to joints [N m or N], without stiffness and damping; 0 after a reset.

    >>> robot = Robot.load(World(MujocoSimulator(), steps_per_tick=10), "cartpole")
    >>> robot.set_action([[1.0]])  # normalized: the largest push
    >>> robot.world.tick()
    >>> bool(robot.joints.rows.velocity[0, 0] > 0.0)
    True

    Attributes:
        lower: Lowest effort; by default the negative of the joint's limit.
        upper: Highest effort; by default the joint's limit.
    """

    lower: PerJoint | None = None
    upper: PerJoint | None = None

    def drive(self, joints: JointGroup) -> Drive:
        """Returns the drive of some joints."""
        limit = joints.traits.effort_limit
        limits = limits_of(joints, self.lower, self.upper, (-limit, limit))
        return _EffortDrive(joints, limits, (np.zeros(len(joints)), np.zeros(len(joints))))


class VelocityDrive(ServoDrive):
    """Sets target velocities."""

    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        """Sets the targets."""
        self.joints.put(worlds, target_velocity=action)


class _EffortDrive(ServoDrive):
    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        """Sets the efforts."""
        self.joints.push(worlds, action)
