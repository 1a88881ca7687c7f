# SPDX-License-Identifier: Apache-2.0
"""Builds robots with named joints, controllers and sensors from one configuration."""

from .catalogue import KINDS, MENAGERIE, ROBOTS, CatalogueEntry, MissingPackageError, find_robot
from .config import RobotConfig
from .controllers import (
    CONTROLLERS,
    Ackermann,
    Controller,
    ControlsDrive,
    DiffDrive,
    Drive,
    EndEffectorDrive,
    EndEffectorPose,
    EndEffectorPosition,
    Gripper,
    GripperDrive,
    JointDeltaPosition,
    JointEffort,
    JointPid,
    JointPosition,
    JointPositionVelocity,
    JointTrajectory,
    JointTrapezoid,
    JointVelocity,
    Mecanum,
    Mimic,
    ModelControls,
    OmniWheels,
    Passive,
    PlanarBase,
    RotorThrust,
    TrajectoryDrive,
)
from .description import MountedSensor
from .guess import Guess, guess_robot
from .joint_group import JointGroup, JointTraits
from .manager import RobotManager
from .mjcf_settings import default_parts
from .parts import Gains, Part
from .robot import Robot
from .ros_control import read_ros_control

__all__ = [
    "CONTROLLERS",
    "KINDS",
    "MENAGERIE",
    "ROBOTS",
    "Ackermann",
    "CatalogueEntry",
    "Controller",
    "ControlsDrive",
    "DiffDrive",
    "Drive",
    "EndEffectorDrive",
    "EndEffectorPose",
    "EndEffectorPosition",
    "Gains",
    "Gripper",
    "GripperDrive",
    "Guess",
    "JointDeltaPosition",
    "JointEffort",
    "JointGroup",
    "JointPid",
    "JointPosition",
    "JointPositionVelocity",
    "JointTraits",
    "JointTrajectory",
    "JointTrapezoid",
    "JointVelocity",
    "Mecanum",
    "Mimic",
    "MissingPackageError",
    "ModelControls",
    "MountedSensor",
    "OmniWheels",
    "Part",
    "Passive",
    "PlanarBase",
    "Robot",
    "RobotConfig",
    "RobotManager",
    "RotorThrust",
    "TrajectoryDrive",
    "default_parts",
    "find_robot",
    "guess_robot",
    "read_ros_control",
]
