# SPDX-License-Identifier: Apache-2.0
"""Joints that are not driven."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deepsim_robots.joint_group import JointGroup
from deepsim_sync import WorldNumbers

from .controller import Controller, Drive, Floats
from .servo import ServoDrive


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
        """Returns the drive of some joints; see `Controller.drive`."""
        n = len(joints)
        return _PassiveDrive(joints, ([], []), (np.zeros(n), np.full(n, float(self.damping))))


class _PassiveDrive(ServoDrive):
    """A drive that sets the gains at a reset, and has no actions."""

    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        """Does nothing, because the action is empty."""
