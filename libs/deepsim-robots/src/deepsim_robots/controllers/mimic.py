# SPDX-License-Identifier: Apache-2.0
"""Controls a gripper by one action for all fingers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deepsim_robots.joint_group import JointGroup
from deepsim_sync import UnknownEntityError, WorldNumbers

from .controller import Controller, Drive, Floats, Pair, PerJoint, limits_of
from .joint_position import position_limits
from .servo import ServoDrive, gains_of


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
        """Returns the drive of some joints; see `Controller.drive`."""
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
