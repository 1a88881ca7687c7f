# SPDX-License-Identifier: Apache-2.0
"""Controllers convert actions to joint commands, in all worlds at once."""

from .actuators import ActuatorNetwork, DCMotor, Delayed, DelayedDrive, MotorDrive
from .controller import Controller, Drive
from .end_effector import EndEffectorDrive, EndEffectorPose, EndEffectorPosition
from .joint_pid import JointPid
from .joint_position import JointDeltaPosition, JointPosition, Mimic
from .joint_rates import JointEffort, JointVelocity, Passive
from .joint_trajectory import JointTrajectory, TrajectoryDrive
from .model_controls import ControlsDrive, Gripper, GripperDrive, ModelControls
from .names import CONTROLLERS
from .planar_base import PlanarBase
from .position_velocity import JointPositionVelocity, JointTrapezoid
from .rotor_thrust import RotorThrust
from .wheeled_bases import Ackermann, DiffDrive, Mecanum, OmniWheels

__all__ = [
    "CONTROLLERS",
    "Ackermann",
    "ActuatorNetwork",
    "Controller",
    "ControlsDrive",
    "DCMotor",
    "Delayed",
    "DelayedDrive",
    "DiffDrive",
    "Drive",
    "EndEffectorDrive",
    "EndEffectorPose",
    "EndEffectorPosition",
    "Gripper",
    "GripperDrive",
    "JointDeltaPosition",
    "JointEffort",
    "JointPid",
    "JointPosition",
    "JointPositionVelocity",
    "JointTrajectory",
    "JointTrapezoid",
    "JointVelocity",
    "Mecanum",
    "Mimic",
    "ModelControls",
    "MotorDrive",
    "OmniWheels",
    "Passive",
    "PlanarBase",
    "RotorThrust",
    "TrajectoryDrive",
]
