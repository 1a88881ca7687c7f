# SPDX-License-Identifier: Apache-2.0
"""Robots of named joints, controllers and sensors, from one configuration."""

from .catalogue import ROBOTS, CatalogueEntry, MissingPackageError, find_robot
from .config import RobotConfig
from .controllers.controller import Controller, Drive
from .controllers.joint_position import JointDeltaPosition, JointPosition
from .controllers.joint_rates import JointEffort, JointVelocity
from .controllers.planar_base import PlanarBase
from .joint_group import JointGroup, JointTraits
from .manager import RobotManager
from .parts import Gains, Part
from .robot import Robot

__all__ = [
    "ROBOTS",
    "CatalogueEntry",
    "Controller",
    "Drive",
    "Gains",
    "JointDeltaPosition",
    "JointEffort",
    "JointGroup",
    "JointPosition",
    "JointTraits",
    "JointVelocity",
    "MissingPackageError",
    "Part",
    "PlanarBase",
    "Robot",
    "RobotConfig",
    "RobotManager",
    "find_robot",
]
