# SPDX-License-Identifier: Apache-2.0
"""Parts of a robot, and the gains of its joints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real

from .controllers.controller import Controller


@dataclass(frozen=True, slots=True)
class Gains:
    """Gains and limits of joints; None stands for the limit in the model's description.

    >>> gains = {".*": Gains(400.0, 40.0), "joint_6": Gains(stiffness=100.0, damping=10.0)}
    >>> config = replace(find_robot("arm").load(), gains=gains)
    >>> Robot(World(MujocoSimulator()), config, "arm").joints.traits.stiffness.tolist()
    [400.0, 400.0, 400.0, 400.0, 400.0, 100.0, 400.0, 400.0]

    Attributes:
        stiffness: Position gain [N m/rad or N/m], >= 0.
        damping: Velocity gain [N m s/rad or N s/m], >= 0.
        effort_limit: Largest effort [N m or N], >= 0.
        velocity_limit: Largest target velocity [rad/s or m/s], >= 0.
    """

    stiffness: float = 0.0
    damping: float = 0.0
    effort_limit: float | None = None
    velocity_limit: float | None = None

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if value is None and name.endswith("limit"):
                continue
            if not isinstance(value, Real):
                raise TypeError(f"{name} must be a number, got {value!r}")
            if not float(value) >= 0.0:
                raise ValueError(f"{name} must be >= 0, got {value!r}")
        for name in ("stiffness", "damping"):
            if getattr(self, name) == math.inf:
                raise ValueError(f"{name} must be finite, got inf")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a robot: some of its joints, and the controller that drives them.

    >>> elbow = Part(["joint_[34]"], "pd_joint_pos")
    >>> config = replace(find_robot("arm").load(), parts={"elbow": elbow})
    >>> robot = Robot(World(MujocoSimulator()), config, "arm")
    >>> robot.parts["elbow"].joints.names
    ('joint_3', 'joint_4')

    Attributes:
        joints: Names of joints, or regular expressions that match whole names; a single one may be
            a string. The joints of a part are in the order of the robot's file.
        controller: A controller, or its name, such as ``"pd_joint_pos"``. With None, the gains
            hold the joints at home.
    """

    joints: Sequence[str] = (".*",)
    controller: Controller | str | None = None

    def __post_init__(self) -> None:
        joints = (self.joints,) if isinstance(self.joints, str) else tuple(self.joints)
        if not all(isinstance(each, str) for each in joints):
            raise TypeError(f"the joints of a part must be names or patterns, got {list(joints)}")
        object.__setattr__(self, "joints", joints)
