# SPDX-License-Identifier: Apache-2.0
"""Wheeled and flying robots from other packages."""

from __future__ import annotations

from deepsim_robots.controllers.ackermann import Ackermann
from deepsim_robots.controllers.diff_drive import DiffDrive
from deepsim_robots.controllers.joint_position import JointPosition
from deepsim_robots.controllers.rotor_thrust import RotorThrust
from deepsim_robots.parts import Gains, Part

from .entry import CatalogueEntry

_SHARE = "cmeel.prefix/share/example-robot-data/robots"

MOBILE = (
    CatalogueEntry(
        name="racecar",
        about="MIT racecar with Ackermann steering",
        kind="wheeled",
        package="pybullet",
        file="pybullet_data/racecar/racecar.urdf",
        licence="Zlib",
        parts={
            "base": Part(
                [".*_steering_hinge_joint", ".*_rear_wheel_joint"],
                Ackermann(
                    steering=["left_steering_hinge_joint", "right_steering_hinge_joint"],
                    rear=["left_rear_wheel_joint", "right_rear_wheel_joint"],
                    wheelbase=0.325,
                    track=0.2,
                    radius=0.05,
                    speed=(-3.0, 3.0),
                    angle=0.4,
                ),
            )
        },
        gains={
            ".*_steering_hinge_joint": Gains(stiffness=50.0, damping=0.5),
            ".*_rear_wheel_joint": Gains(damping=0.3),
        },
    ),
    CatalogueEntry(
        name="tiago",
        about="PAL TIAGo: differential drive, torso, head and an arm of 7 joints",
        kind="wheeled",
        package="example-robot-data",
        file=f"{_SHARE}/tiago_description/robots/tiago_no_hand.urdf",
        licence="BSD-3-Clause",
        on_gazebo=False,
        parts={
            "base": Part(
                ["wheel_.*"],
                DiffDrive(
                    left=["wheel_left_joint"],
                    right=["wheel_right_joint"],
                    separation=0.4044,
                    radius=0.0985,
                ),
            ),
            "torso": Part(["torso_lift_joint"], JointPosition()),
            "head": Part(["head_.*"], JointPosition()),
            "arm": Part(["arm_.*"], JointPosition()),
        },
        home={
            "torso_lift_joint": 0.15,
            "arm_1_joint": 0.2,
            "arm_2_joint": -1.34,
            "arm_3_joint": -0.2,
            "arm_4_joint": 1.94,
            "arm_5_joint": -1.57,
            "arm_6_joint": 1.37,
        },
        gains={
            "wheel_.*": Gains(damping=10.0),
            "torso_lift_joint": Gains(stiffness=50000.0, damping=1000.0),
            "head_.*": Gains(stiffness=60.0, damping=3.0),
            "arm_[1-4]_joint": Gains(stiffness=600.0, damping=30.0),
            "arm_[56]_joint": Gains(stiffness=150.0, damping=0.5),
            "arm_7_joint": Gains(stiffness=100.0),
        },
    ),
    CatalogueEntry(
        name="iris",
        about="3DR Iris, a quadrotor",
        kind="flying",
        package="example-robot-data",
        file=f"{_SHARE}/iris_description/robots/iris.urdf",
        licence="BSD-3-Clause",
        on_gazebo=False,
        parts={
            "rotors": Part(
                [],
                RotorThrust(
                    links=[f"iris__rotor_{number}" for number in range(4)],
                    directions=[1.0, 1.0, -1.0, -1.0],
                    drag=0.016,
                    upper=2 * 1.535 * 9.81 / 4,  # so that action 0 hovers
                ),
            )
        },
        gains={".*rotor.*": Gains(damping=0.001, effort_limit=0.1, velocity_limit=1000.0)},
        height=0.055,
    ),
)
