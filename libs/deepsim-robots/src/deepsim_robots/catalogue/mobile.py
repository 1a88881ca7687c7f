# SPDX-License-Identifier: Apache-2.0
"""Robots that roll or fly, of other packages."""

from __future__ import annotations

from deepsim_robots.controllers.joint_position import JointPosition
from deepsim_robots.controllers.joint_rates import JointVelocity
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
            "steering": Part([".*_steering_hinge_joint"], JointPosition(lower=-0.5, upper=0.5)),
            "drive": Part([".*_wheel_joint"], JointVelocity(lower=-60.0, upper=60.0)),
        },
        gains={
            ".*_steering_hinge_joint": Gains(stiffness=50.0, damping=2.0),
            ".*_wheel_joint": Gains(damping=0.3),
        },
    ),
    CatalogueEntry(
        name="iris",
        about="3DR Iris, a quadrotor",
        kind="flying",
        package="example-robot-data",
        file=f"{_SHARE}/iris_description/robots/iris.urdf",
        licence="BSD-3-Clause",
        gains={".*rotor.*": Gains(damping=0.001, effort_limit=0.1, velocity_limit=1000.0)},
        height=0.055,
    ),
)
