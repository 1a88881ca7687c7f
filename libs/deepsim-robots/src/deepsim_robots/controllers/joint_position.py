# SPDX-License-Identifier: Apache-2.0
"""Joint positions: absolute, relative to the measured ones, or relative to the last targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from deepsim_robots.joint_group import JointGroup
from deepsim_sync import WorldNumbers

from .controller import Controller, Drive, Floats, PerJoint, bounds
from .servo import ServoDrive, gains_of


@dataclass(frozen=True, kw_only=True)
class JointPosition(Controller):
    """Actions are target positions [rad or m], held by stiffness and damping.

    >>> part = Part(["joint_.*"], JointPosition(normalized=False))
    >>> config = replace(find_robot("arm").load(), parts={"arm": part})
    >>> robot = Robot(World(MujocoSimulator()), config, "arm")
    >>> robot.upper.round(2).tolist()  # the limits of the joints
    [3.05, 2.2, 2.6, 3.05, 2.1, 3.05]

    Attributes:
        lower: Least position, or one for each joint; by default the joint's limit, and -pi for
            joints that turn without end.
        upper: Largest position, by default the joint's limit, and pi.
        stiffness, damping: In place of the robot's gains.
    """

    lower: PerJoint | None = None
    upper: PerJoint | None = None
    stiffness: PerJoint | None = None
    damping: PerJoint | None = None

    def drive(self, joints: JointGroup) -> Drive:
        """Returns the drive of some joints."""
        lower = bounds(self.lower, position_limits(joints)[0], joints, "lower")
        upper = bounds(self.upper, position_limits(joints)[1], joints, "upper")
        stiffness, damping = gains_of(joints, self.stiffness, self.damping, held=True)
        return PositionDrive(joints, lower, upper, stiffness, damping)


@dataclass(frozen=True, kw_only=True)
class JointDeltaPosition(Controller):
    """Actions are steps of position [rad or m], which change the targets; limits are kept.

    >>> part = Part(["joint_.*"], JointDeltaPosition(lower=-0.1, upper=0.1, of="target"))
    >>> config = replace(find_robot("arm").load(), parts={"arm": part})
    >>> robot = Robot(World(MujocoSimulator()), config, "arm")
    >>> before = robot.joints.rows.target_position[0, :6].copy()
    >>> robot.set_action(np.ones((1, 6)))  # normalized: the largest step
    >>> robot.world.tick()
    >>> (robot.joints.rows.target_position[0, :6] - before).round(3).tolist()
    [0.1, 0.1, 0.1, 0.1, 0.1, 0.1]

    Attributes:
        lower: Least step, or one for each joint.
        upper: Largest step.
        of: A step begins at the ``measured`` position, or at the last ``target``. The
            latter does not drift under load.
        stiffness, damping: In place of the robot's gains.
    """

    lower: PerJoint = -0.1
    upper: PerJoint = 0.1
    of: Literal["measured", "target"] = "measured"
    stiffness: PerJoint | None = None
    damping: PerJoint | None = None

    def __post_init__(self) -> None:
        if self.of not in ("measured", "target"):
            raise ValueError(f"a step is of 'measured' or 'target', got {self.of!r}")

    def drive(self, joints: JointGroup) -> Drive:
        """Returns the drive of some joints."""
        lower = bounds(self.lower, self.lower, joints, "lower")
        upper = bounds(self.upper, self.upper, joints, "upper")
        stiffness, damping = gains_of(joints, self.stiffness, self.damping, held=True)
        return _StepDrive(joints, lower, upper, stiffness, damping, self.of == "target")


def position_limits(joints: JointGroup) -> tuple[Floats, Floats]:
    """Returns the range of each joint, (n,) and (n,); a turn for joints without limits."""
    lower, upper = joints.traits.lower, joints.traits.upper
    return np.where(np.isinf(lower), -np.pi, lower), np.where(np.isinf(upper), np.pi, upper)


class PositionDrive(ServoDrive):
    """Sets targets of positions."""

    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        """Sets the targets."""
        self.joints.put(worlds, target_position=action)


class _StepDrive(ServoDrive):
    """Adds steps to targets or positions."""

    def __init__(
        self,
        joints: JointGroup,
        lower: Floats,
        upper: Floats,
        stiffness: Floats,
        damping: Floats,
        of_target: bool,
    ) -> None:
        super().__init__(joints, lower, upper, stiffness, damping)
        self._of_target = of_target

    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        """Moves the targets by a step, within the limits."""
        rows, traits = self.joints.rows, self.joints.traits
        start = rows.target_position if self._of_target else rows.position
        target = np.clip(start[worlds] + action, traits.lower, traits.upper)
        self.joints.put(worlds, target_position=target)
