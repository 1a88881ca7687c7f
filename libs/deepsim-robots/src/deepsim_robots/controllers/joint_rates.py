# SPDX-License-Identifier: Apache-2.0
"""Joint velocities and efforts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deepsim_robots.joint_group import JointGroup
from deepsim_sync import WorldNumbers

from .controller import Controller, Drive, Floats, PerJoint, bounds
from .servo import ServoDrive, gains_of


@dataclass(frozen=True, kw_only=True)
class JointVelocity(Controller):
    """Actions are target velocities [rad/s or m/s], followed by damping; 0 at a reset.

    >>> part = Part(["joint_.*"], JointVelocity(lower=-0.5, upper=0.5, normalized=False))
    >>> config = replace(find_robot("arm").load(), parts={"arm": part})
    >>> robot = Robot(World(MujocoSimulator()), config, "arm")
    >>> robot.set_action([[0.5, 0, 0, 0, 0, 0]])
    >>> robot.world.tick()
    >>> robot.joints.rows.target_velocity[0, :6].tolist()
    [0.5, 0.0, 0.0, 0.0, 0.0, 0.0]

    Attributes:
        lower: Least velocity, or one for each joint; by default minus the joint's limit.
        upper: Largest velocity, by default the joint's limit.
        damping: In place of the robot's gains.
    """

    lower: PerJoint | None = None
    upper: PerJoint | None = None
    damping: PerJoint | None = None

    def drive(self, joints: JointGroup) -> Drive:
        """Returns the drive of some joints."""
        limit = joints.traits.velocity_limit
        lower = bounds(self.lower, -limit, joints, "lower")
        upper = bounds(self.upper, limit, joints, "upper")
        stiffness, damping = gains_of(joints, None, self.damping, held=False)
        return VelocityDrive(joints, lower, upper, stiffness, damping)


@dataclass(frozen=True, kw_only=True)
class JointEffort(Controller):
    """Actions are efforts [N m or N], without stiffness and damping; 0 at a reset.

    >>> robot = Robot.load(World(MujocoSimulator(), steps_per_tick=10), "cartpole")
    >>> robot.set_action([[1.0]])  # normalized: the largest push
    >>> robot.world.tick()
    >>> bool(robot.joints.rows.velocity[0, 0] > 0.0)
    True

    Attributes:
        lower: Least effort, or one for each joint; by default minus the joint's limit.
        upper: Largest effort, by default the joint's limit.
    """

    lower: PerJoint | None = None
    upper: PerJoint | None = None

    def drive(self, joints: JointGroup) -> Drive:
        """Returns the drive of some joints."""
        limit = joints.traits.effort_limit
        lower = bounds(self.lower, -limit, joints, "lower")
        upper = bounds(self.upper, limit, joints, "upper")
        return _EffortDrive(joints, lower, upper, np.zeros(len(joints)), np.zeros(len(joints)))


class VelocityDrive(ServoDrive):
    """Sets targets of velocities."""

    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        """Sets the targets."""
        self.joints.put(worlds, target_velocity=action)


class _EffortDrive(ServoDrive):
    """Feeds efforts forward."""

    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        """Sets the efforts."""
        self.joints.push(worlds, action)
