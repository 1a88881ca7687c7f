# SPDX-License-Identifier: Apache-2.0
"""Controls joint velocities and efforts, or leaves joints free."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deepsim_robots.joint_group import JointGroup
from deepsim_sync import WorldNumbers

from .controller import (
    Controller,
    Drive,
    Floats,
    PerJoint,
    ServoDrive,
    gains_of,
    limits_of,
)


@dataclass(frozen=True, kw_only=True)
class JointVelocity(Controller):
    """Drives joints at target velocities [rad/s or m/s] by damping; they are 0 after a reset.

    >>> part = Part(["joint_.*"], JointVelocity(lower=-0.5, upper=0.5, normalized=False))
    >>> config = replace(find_robot("arm").load(), parts={"arm": part})
    >>> robot = Robot(World(MujocoSimulator()), config, "arm")
    >>> robot.set_action([[0.5, 0, 0, 0, 0, 0]])
    >>> robot.world.tick()
    >>> robot.joints.rows.target_velocity[0, :6].tolist()
    [0.5, 0.0, 0.0, 0.0, 0.0, 0.0]

    Attributes:
        lower: Lowest velocity; by default the negative velocity limit of the joint.
        upper: Highest velocity; by default the velocity limit of the joint.
        damping: Damping of the joints; by default the robot's.
    """

    lower: PerJoint | None = None
    upper: PerJoint | None = None
    damping: PerJoint | None = None

    def drive(self, joints: JointGroup) -> Drive:
        limit = joints.traits.velocity_limit
        limits = limits_of(joints, self.lower, self.upper, (-limit, limit))
        return VelocityDrive(joints, limits, gains_of(joints, None, self.damping, held=False))


@dataclass(frozen=True, kw_only=True)
class JointEffort(Controller):
    """Applies efforts [N m or N] to joints without stiffness and damping; 0 after a reset.

    >>> robot = Robot.load(World(MujocoSimulator(), steps_per_tick=10), "cartpole")
    >>> robot.set_action([[1.0]])  # normalized: the largest push
    >>> robot.world.tick()
    >>> bool(robot.joints.rows.velocity[0, 0] > 0.0)
    True

    Attributes:
        lower: Lowest effort; by default the negative effort limit of the joint.
        upper: Highest effort; by default the effort limit of the joint.
    """

    lower: PerJoint | None = None
    upper: PerJoint | None = None

    def drive(self, joints: JointGroup) -> Drive:
        limit = joints.traits.effort_limit
        limits = limits_of(joints, self.lower, self.upper, (-limit, limit))
        return _EffortDrive(joints, limits, (np.zeros(len(joints)), np.zeros(len(joints))))


class VelocityDrive(ServoDrive):
    """A drive with target velocities as actions."""

    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        """Sets the target velocities."""
        self.joints.put(worlds, target_velocity=action)


class _EffortDrive(ServoDrive):
    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        self.joints.push(worlds, action)


@dataclass(frozen=True, kw_only=True)
class Passive(Controller):
    """Lets joints move freely, slowed only by damping; it has no actions.

    >>> part = Part([".*"], Passive(damping=0.5))
    >>> config = replace(find_robot("arm").load(), parts={"arm": part})
    >>> robot = Robot(World(MujocoSimulator()), config, "arm")
    >>> robot.action_size, robot.joints.rows.damping.max().item()
    (0, 0.5)

    Attributes:
        damping: Damping of the joints [N m s/rad or N s/m], >= 0.
    """

    damping: float = 0.0

    def drive(self, joints: JointGroup) -> Drive:
        n = len(joints)
        return _PassiveDrive(joints, ([], []), (np.zeros(n), np.full(n, float(self.damping))))


class _PassiveDrive(ServoDrive):
    """A drive that sets the gains at a reset, and has no actions."""

    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        """Does nothing, because the action is empty."""
