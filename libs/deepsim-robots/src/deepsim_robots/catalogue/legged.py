# SPDX-License-Identifier: Apache-2.0
"""Legged robots from other packages."""

from __future__ import annotations

from deepsim_robots.controllers.joint_position import JointPosition
from deepsim_robots.parts import Gains, Part

from .entry import CatalogueEntry

_SHARE = "cmeel.prefix/share/example-robot-data/robots"

LEGGED = (
    CatalogueEntry(
        name="go2",
        about="Unitree Go2, a quadruped of 12 joints",
        kind="legged",
        package="example-robot-data",
        file=f"{_SHARE}/go2_description/urdf/go2.urdf",
        licence="BSD-3-Clause",
        parts={"legs": Part([".*"], JointPosition())},
        home={".*_thigh_joint": 0.8, ".*_calf_joint": -1.6},
        gains={".*": Gains(stiffness=120.0, damping=2.5)},
        height=0.32,
    ),
    CatalogueEntry(
        name="a1",
        about="Unitree A1, a quadruped of 12 joints",
        kind="legged",
        package="example-robot-data",
        file=f"{_SHARE}/a1_description/urdf/a1.urdf",
        licence="BSD-3-Clause",
        parts={"legs": Part([".*"], JointPosition())},
        home={".*_thigh_joint": 0.8, ".*_calf_joint": -1.6},
        gains={".*": Gains(stiffness=120.0, damping=2.5)},
        height=0.30,
    ),
    CatalogueEntry(
        name="g1",
        about="Unitree G1, a humanoid of 29 joints",
        kind="legged",
        package="example-robot-data",
        file=f"{_SHARE}/g1_description/urdf/g1_29dof_rev_1_0.urdf",
        licence="BSD-3-Clause",
        on_gazebo=False,
        parts={
            "legs": Part([".*_(hip|knee|ankle)_.*"], JointPosition()),
            "waist": Part(["waist_.*"], JointPosition()),
            "arms": Part([".*_(shoulder|elbow|wrist)_.*"], JointPosition()),
        },
        home={
            ".*_hip_pitch_joint": -0.2,
            ".*_knee_joint": 0.42,
            ".*_ankle_pitch_joint": -0.22,
            ".*_shoulder_pitch_joint": 0.2,
            "left_shoulder_roll_joint": 0.2,
            "right_shoulder_roll_joint": -0.2,
            ".*_elbow_joint": 0.6,
        },
        gains={
            ".*_(hip|knee)_.*": Gains(stiffness=400.0, damping=8.0),
            ".*_ankle_pitch_joint": Gains(stiffness=300.0, damping=3.0),
            ".*_ankle_roll_joint": Gains(stiffness=300.0, damping=0.4),
            "waist_.*": Gains(stiffness=400.0, damping=8.0),
            ".*_(shoulder|elbow)_.*": Gains(stiffness=80.0, damping=2.0),
            ".*_wrist_.*": Gains(stiffness=40.0, damping=0.5),
        },
        height=0.783,
    ),
)
