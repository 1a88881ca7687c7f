# SPDX-License-Identifier: Apache-2.0
"""Finds controllers by their names in configurations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from deepsim_sync import UnknownEntityError

from .actuators import DCMotor
from .controller import Controller, settings
from .end_effector import EndEffectorPose, EndEffectorPosition
from .joint_pid import JointPid
from .joint_position import JointDeltaPosition, JointPosition, Mimic
from .joint_rates import JointEffort, JointVelocity, Passive
from .joint_trajectory import JointTrajectory
from .model_controls import Gripper, ModelControls
from .planar_base import PlanarBase
from .position_velocity import JointPositionVelocity, JointTrapezoid
from .rotor_thrust import RotorThrust
from .wheeled_bases import Ackermann, DiffDrive, Mecanum, OmniWheels

CONTROLLERS: Mapping[str, Callable[..., Controller]] = {
    "joint_position": JointPosition,
    "joint_delta_position": JointDeltaPosition,
    "joint_velocity": JointVelocity,
    "joint_effort": JointEffort,
    "joint_position_velocity": JointPositionVelocity,
    "joint_trapezoid": JointTrapezoid,
    "joint_trajectory": JointTrajectory,
    "joint_pid": JointPid,
    "dc_motor": DCMotor,
    "end_effector_position": EndEffectorPosition,
    "end_effector_pose": EndEffectorPose,
    "diff_drive": DiffDrive,
    "ackermann": Ackermann,
    "mecanum": Mecanum,
    "omni_wheels": OmniWheels,
    "planar_base": PlanarBase,
    "mimic": Mimic,
    "passive": Passive,
    "model_controls": ModelControls,
    "gripper": Gripper,
    "rotor_thrust": RotorThrust,
    # Names in RobotLab and ManiSkill.
    "pd_joint_pos": JointPosition,
    "pd_joint_delta_pos": JointDeltaPosition,
    "pd_joint_target_delta_pos": partial(JointDeltaPosition, of="target"),
    "pd_joint_vel": JointVelocity,
    "pd_joint_pos_vel": JointPositionVelocity,
    "pd_joint_effort": JointEffort,
    "pd_joint_pos_mimic": Mimic,
    "mimic_pd_joint_pos": Mimic,
    "pd_base_vel": PlanarBase,
    "base_vel": PlanarBase,
    "pd_ee_pos": partial(EndEffectorPosition, delta=False),
    "pd_ee_pose": partial(EndEffectorPose, delta=False),
    "pd_ee_delta_pos": partial(EndEffectorPosition, delta=True, of="measured"),
    "pd_ee_delta_pose": partial(EndEffectorPose, delta=True, of="measured"),
    "pd_ee_target_delta_pos": partial(EndEffectorPosition, delta=True),
    "pd_ee_target_delta_pose": partial(EndEffectorPose, delta=True),
    # Names of RobotLab's classes.
    "PDJointPos": JointPosition,
    "PDJointVel": JointVelocity,
    "MimicPDJointPos": Mimic,
    "PDBaseVel": PlanarBase,
    "PosVel": partial(JointPositionVelocity, one_speed=True),
    "EE-delta": partial(EndEffectorPose, delta=True, rate=True),
}
"""Controller classes by their names in configurations."""


def controller_of(given: Controller | str | Mapping[str, Any]) -> Controller:
    """Makes a controller from its name, or from a mapping with ``type`` and settings.

    Raises:
        UnknownEntityError: The controller or a setting is unknown.
        TypeError: The controller is something else, such as a class.
        ValueError: The mapping has no type.
    """
    if isinstance(given, Controller):
        return given
    if not isinstance(given, (str, Mapping)):
        raise TypeError(
            "a controller must be an object such as JointPosition(), a name or a mapping with "
            f"a type, got {given!r}"
        )
    own = {"type": given} if isinstance(given, str) else dict(given)
    if "type" not in own:
        raise ValueError(f"a controller needs a type, such as joint_position, got {own!r}")
    name = str(own.pop("type"))
    if name not in CONTROLLERS:
        raise UnknownEntityError("controller", name, CONTROLLERS)
    controller = CONTROLLERS[name]()
    known = settings(controller)
    for setting in own:
        if setting not in known:
            raise UnknownEntityError(f"setting of {type(controller).__name__}", setting, known)
    return replace(controller, **own)
