# SPDX-License-Identifier: Apache-2.0
"""The catalogue: all robots by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from deepsim_robots.controllers.joint_position import JointPosition, Mimic
from deepsim_robots.controllers.joint_rates import JointEffort
from deepsim_robots.controllers.wheeled_bases import Ackermann, DiffDrive
from deepsim_robots.parts import Gains, Part
from deepsim_sync import UnknownEntityError

from .entry import CatalogueEntry
from .menagerie import OF_MENAGERIE, PREFIX, find_menagerie
from .packages import ARMS, LEGGED, MOBILE

OWN = (
    CatalogueEntry(
        name="cartpole",
        about="cart on a rail, with a pole that turns freely",
        kind="toy",
        file="cartpole.xacro",
        parts={"cart": Part(["slide"], JointEffort(lower=-10.0, upper=10.0))},
        gains={"slide": Gains(stiffness=2000.0, damping=100.0)},
    ),
    CatalogueEntry(
        name="diffbot",
        about="round robot with two driven wheels and a lidar",
        kind="wheeled",
        file="diffbot.xacro",
        parts={
            "base": Part(
                [".*_wheel_joint"],
                DiffDrive(
                    left=["left_wheel_joint"],
                    right=["right_wheel_joint"],
                    separation=0.25,
                    radius=0.04,
                    lower=(-0.6, -3.0),
                    upper=(0.6, 3.0),
                ),
            )
        },
        gains={".*": Gains(damping=0.25)},
    ),
    CatalogueEntry(
        name="car",
        about="car of 1/10 scale with Ackermann steering",
        kind="wheeled",
        file="car.xacro",
        parts={
            "base": Part(
                [".*_steer_joint", "rear_.*_wheel_joint"],
                Ackermann(
                    steering=["left_steer_joint", "right_steer_joint"],
                    rear=["rear_left_wheel_joint", "rear_right_wheel_joint"],
                    wheelbase=0.32,
                    track=0.24,
                    radius=0.05,
                    speed=(-3.0, 3.0),
                    angle=0.42,
                ),
            )
        },
        gains={
            ".*_steer_joint": Gains(stiffness=20.0, damping=0.5),
            "rear_.*_wheel_joint": Gains(damping=0.2),
        },
    ),
    CatalogueEntry(
        name="arm",
        about="arm of 6 joints with a parallel gripper",
        kind="arm",
        file="arm.xacro",
        parts={
            "arm": Part(["joint_.*"], JointPosition()),
            "gripper": Part([".*_finger_joint"], Mimic()),
        },
        home={"joint_2": 0.2, "joint_3": 1.5, "joint_5": 1.44, ".*_finger_joint": 0.03},
        gains={
            "joint_[123]": Gains(stiffness=600.0, damping=40.0),
            "joint_[45]": Gains(stiffness=80.0, damping=3.0),
            "joint_6": Gains(stiffness=40.0, damping=0.8),
            ".*_finger_joint": Gains(stiffness=2000.0, damping=60.0),
        },
    ),
    CatalogueEntry(
        name="quadruped",
        about="quadruped of 12 joints and 13 kg",
        kind="quadruped",
        file="quadruped.xacro",
        parts={"legs": Part([".*"], JointPosition())},
        home={".*_thigh_joint": 0.8, ".*_calf_joint": -1.6},
        gains={".*": Gains(stiffness=120.0, damping=2.5)},
        height=0.301,
    ),
)


ROBOTS: Mapping[str, CatalogueEntry] = MappingProxyType(
    {entry.name: entry for entry in (*OWN, *ARMS, *LEGGED, *MOBILE, *OF_MENAGERIE)}
)
"""All robots of the catalogue by name, including those whose files are not on this machine."""


def find_robot(name: str) -> CatalogueEntry:
    """Returns a robot of the catalogue; ``menagerie/NAME`` names one of MuJoCo Menagerie.

    >>> find_robot("cartpole").about
    'cart on a rail, with a pole that turns freely'

    Raises:
        UnknownEntityError: The robot does not exist; the message suggests similar names.
        MissingPackageError: The robot is one of mujoco-menagerie that is unknown here, and the
            package is not installed.
    """
    if name in ROBOTS:
        return ROBOTS[name]
    if name.startswith(PREFIX):
        return find_menagerie(name)
    raise UnknownEntityError("robot", name, ROBOTS)
