# SPDX-License-Identifier: Apache-2.0
"""Controls joint positions: of each joint, or of all fingers of a gripper together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from deepsim_robots.joint_group import JointGroup
from deepsim_sync import UnknownEntityError, WorldNumbers

from .controller import Controller, Drive, Floats, Pair, PerJoint, ServoDrive, gains_of, limits_of


@dataclass(frozen=True, kw_only=True)
class JointPosition(Controller):
    """Drives joints to target positions [rad or m] by stiffness and damping.

    >>> part = Part(["joint_.*"], JointPosition(normalized=False))
    >>> config = replace(find_robot("arm").load(), parts={"arm": part})
    >>> robot = Robot(World(MujocoSimulator()), config, "arm")
    >>> robot.upper.round(2).tolist()  # the limits of the joints
    [3.05, 2.2, 2.6, 3.05, 2.1, 3.05]

    Attributes:
        lower: Lowest position; by default the joint's lower limit, or -pi if it has none.
        upper: Highest position; by default the joint's upper limit, or pi if it has none.
        stiffness, damping: Gains of the joints; by default the robot's.
    """

    lower: PerJoint | None = None
    upper: PerJoint | None = None
    stiffness: PerJoint | None = None
    damping: PerJoint | None = None

    def drive(self, joints: JointGroup) -> Drive:
        limits = limits_of(joints, self.lower, self.upper, position_limits(joints))
        gains = gains_of(joints, self.stiffness, self.damping, held=True)
        return PositionDrive(joints, limits, gains)


@dataclass(frozen=True, kw_only=True)
class JointDeltaPosition(Controller):
    """Moves the target positions of joints by steps [rad or m], within the joints' limits.

    >>> part = Part(["joint_.*"], JointDeltaPosition(lower=-0.1, upper=0.1, of="target"))
    >>> config = replace(find_robot("arm").load(), parts={"arm": part})
    >>> robot = Robot(World(MujocoSimulator()), config, "arm")
    >>> before = robot.joints.rows.target_position[0, :6].copy()
    >>> robot.set_action(np.ones((1, 6)))  # normalized: the largest step
    >>> robot.world.tick()
    >>> (robot.joints.rows.target_position[0, :6] - before).round(3).tolist()
    [0.1, 0.1, 0.1, 0.1, 0.1, 0.1]

    Attributes:
        lower: Lowest step [rad or m].
        upper: Highest step [rad or m].
        of: Start of a step: the ``measured`` position, or the last ``target``, which avoids drift
            under load.
        stiffness, damping: Gains of the joints; by default the robot's.
    """

    lower: PerJoint = -0.1
    upper: PerJoint = 0.1
    of: Literal["measured", "target"] = "measured"
    stiffness: PerJoint | None = None
    damping: PerJoint | None = None

    def __post_init__(self) -> None:
        if self.of not in ("measured", "target"):
            raise ValueError(f"of must be 'measured' or 'target', got {self.of!r}")

    def drive(self, joints: JointGroup) -> Drive:
        limits = limits_of(joints, self.lower, self.upper, (self.lower, self.upper))
        gains = gains_of(joints, self.stiffness, self.damping, held=True)
        return _StepDrive(joints, limits, gains, of_target=self.of == "target")


def position_limits(joints: JointGroup) -> Pair:
    """Returns the lower and upper limits of joints, (n,) each; -pi and pi for unlimited joints."""
    lower, upper = joints.traits.lower, joints.traits.upper
    return np.where(np.isinf(lower), -np.pi, lower), np.where(np.isinf(upper), np.pi, upper)


class PositionDrive(ServoDrive):
    """A drive with target positions as actions."""

    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        """Sets the target positions."""
        self.joints.put(worlds, target_position=action)


class _StepDrive(ServoDrive):
    def __init__(self, joints: JointGroup, limits: Pair, gains: Pair, *, of_target: bool) -> None:
        super().__init__(joints, limits, gains)
        self._of_target = of_target

    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        """Moves the target positions by a step, within the limits."""
        rows, traits = self.joints.rows, self.joints.traits
        start = rows.target_position if self._of_target else rows.position
        target = np.clip(start[worlds] + action, traits.lower, traits.upper)
        self.joints.put(worlds, target_position=target)


@dataclass(frozen=True, kw_only=True)
class Mimic(Controller):
    """Moves all joints of a part together: action 0 to the lower limits, action 1 to the upper.

    If actions are normalized, they range from -1 to 1 instead. Joints with equal limits have equal
    targets.

    >>> robot = Robot.load(World(MujocoSimulator(), steps_per_tick=10), "arm")
    >>> robot.set_action([[0, 0, 0, 0, 0, 0, 1]])  # the last number is the gripper's action
    >>> robot.world.tick()
    >>> robot.parts["gripper"].joints.rows.target_position[0].round(3).tolist()  # both are open
    [0.04, 0.04]

    Attributes:
        lower: Position for action 0; by default the joint's lower limit.
        upper: Position for action 1; by default the joint's upper limit.
        reversed: Names of joints that move from upper to lower instead.
        stiffness, damping: Gains of the joints; by default the robot's.
    """

    lower: PerJoint | None = None
    upper: PerJoint | None = None
    reversed: Sequence[str] = ()
    stiffness: PerJoint | None = None
    damping: PerJoint | None = None

    def drive(self, joints: JointGroup) -> Drive:
        start, end = limits_of(joints, self.lower, self.upper, position_limits(joints))
        for name in self.reversed:
            if name not in joints.names:
                raise UnknownEntityError(f"joint of part {joints.part!r}", name, joints.names)
        back = np.array([name in self.reversed for name in joints.names], dtype=np.bool_)
        gains = gains_of(joints, self.stiffness, self.damping, held=True)
        return _MimicDrive(joints, gains, np.where(back, end, start), np.where(back, start, end))


class _MimicDrive(ServoDrive):
    """Sets each joint's target between its positions for actions 0 and 1."""

    def __init__(self, joints: JointGroup, gains: Pair, start: Floats, end: Floats) -> None:
        super().__init__(joints, ([0.0], [1.0]), gains)
        self._start = start
        self._way = end - start

    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        """Sets the target positions for actions (w, 1) in 0 .. 1."""
        self.joints.put(worlds, target_position=self._start + action * self._way)
