# SPDX-License-Identifier: Apache-2.0
"""Divides the actuators of an MJCF model into gains of joints and rows of the actuators table."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from deepsim_mujoco.imports import mujoco
from deepsim_sync import SCOPE

_JOINTS = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))
_SCALAR = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
_FIXED_GAIN, _PID = int(mujoco.mjtGain.mjGAIN_FIXED), int(mujoco.mjtGain.mjGAIN_PID)
_LINEAR = (_FIXED_GAIN, _PID)
_NO_BIAS, _AFFINE = int(mujoco.mjtBias.mjBIAS_NONE), int(mujoco.mjtBias.mjBIAS_AFFINE)
_INTEGRATOR = int(mujoco.mjtDyn.mjDYN_INTEGRATOR)
_FOLLOWING = (
    _INTEGRATOR,
    int(mujoco.mjtDyn.mjDYN_FILTER),
    int(mujoco.mjtDyn.mjDYN_FILTEREXACT),
    int(mujoco.mjtDyn.mjDYN_PID),
)
"""Dynamics whose first state is the target that the force follows."""
_MUSCLE = int(mujoco.mjtDyn.mjDYN_MUSCLE)
_INSTANT = int(mujoco.mjtDyn.mjDYN_NONE)
UNLIMITED = 1e12
"""Limit of a control or an effort that stands for none."""
_MARK = "#actuator "  # servos have the names of their axes, and other actuators often the same


class _Purpose(NamedTuple):
    """What a control may set."""

    input: int
    """Bit of ``ctrlspec``, as in MuJoCo."""
    column: str
    """Column of the joints table."""


_PURPOSES = (
    _Purpose(1, "target_position"),
    _Purpose(2, "target_velocity"),
    _Purpose(4, "feedforward"),
)


class JointGains(NamedTuple):
    """Gains of a joint [N m/rad or N/m, N m s/rad or N s/m], and its largest effort [N m or N]."""

    stiffness: float = 0.0
    damping: float = 0.0
    effort: float = np.inf


class ActuatorRow(NamedTuple):
    """A control of an actuator that has a row in the actuators table."""

    actuator: str
    """Name of MuJoCo's actuator."""
    input: int
    """Index of the control; those of a ``<pid>`` are position, velocity and effort."""
    target: float
    """Initial control."""
    lower: float
    """Lowest control; -inf without a limit."""
    upper: float
    """Highest control; inf without a limit."""
    activation: tuple[float, ...]
    """Initial state of the actuator."""


def marked_name(name: str) -> str:
    """Returns the name that MuJoCo's actuator gets, which is not the name of a servo."""
    return _MARK + name


def control_name(actuator: str, control: int) -> str:
    """Returns the name of a control of an actuator, without the model."""
    return actuator if control == 0 else f"{actuator}{SCOPE}{control + 1}"


def actuator_name(name: str) -> str:
    """Returns the name in the actuators table of an actuator of MuJoCo; servos keep theirs."""
    return name.replace(_MARK, "", 1)


class JointCommand(NamedTuple):
    """The meaning of a control u for a joint: ``scale * u + offset`` is put into a column."""

    joint: int
    control: int
    """Number of the control."""
    column: str
    scale: float
    offset: float


def joint_actuators(
    model: mujoco.MjModel,
) -> tuple[dict[int, JointGains], dict[int, list[JointCommand]]]:
    """Returns the gains that the actuators of a model give to its hinges and slides.

    An actuator with gear g exerts the effort g (gain u + b0 + b1 g q + b2 g q'), so its stiffness
    is -b1 g^2, its damping -b2 g^2, and its target -(gain u + b0) / (b1 g) (MuJoCo, Computation,
    Actuation model). Efforts and limits of several actuators of a joint add up. The limit is the
    force range; without it, for a motor, the force at the end of the control range.

    Returns:
        The gains by number of the joint, and the commands by number of the actuator. Actuators
        without command act on something else, have a force that is not stiffness, damping and an
        effort, or have the same purpose as another one of the joint.
    """
    gains: dict[int, JointGains] = {}
    commands: dict[int, list[JointCommand]] = {}
    taken: set[tuple[int, str]] = set()
    for number in range(model.nactuator):
        joint, bias = int(model.actuator_trnid[number, 0]), int(model.actuator_biastype[number])
        gear = float(model.actuator_gear[number, 0])
        gain = float(model.actuator_gainprm[number, 0])
        offset, position, velocity = model.actuator_biasprm[number, :3].tolist()
        if bias == _NO_BIAS:
            offset = position = velocity = 0.0
        is_pid = int(model.actuator_gaintype[number]) == _PID
        wanted = _PURPOSES[0] if position else _PURPOSES[1] if velocity else _PURPOSES[2]
        spec = int(model.actuator_ctrlspec[number]) if is_pid else wanted.input
        purposes = [each for each in _PURPOSES if spec & each.input]
        if (
            int(model.actuator_trntype[number]) not in _JOINTS
            or int(model.jnt_type[joint]) not in _SCALAR
            or int(model.actuator_gaintype[number]) not in _LINEAR
            or bias not in (_NO_BIAS, _AFFINE)
            or max(position, velocity) > 0.0
            or int(model.actuator_dyntype[number]) != _INSTANT
            or int(model.actuator_plugin[number]) >= 0
            or not gear
            or any((joint, each.column) in taken for each in purposes)
        ):
            continue
        factors = {"target_position": -position, "target_velocity": -velocity, "feedforward": 1.0}
        commands[number] = []
        for input_number, (_, column) in enumerate(purposes):
            factor = factors[column] * (gear if column != "feedforward" else 1.0 / gear)
            own_gain = factors[column] if is_pid else gain
            control = int(model.actuator_ctrladr[number]) + input_number
            command = JointCommand(joint, control, column, own_gain / factor, offset / factor)
            commands[number].append(command)
            taken.add((joint, column))
        own = JointGains(
            -position * gear**2,
            -velocity * gear**2,
            _largest_force(model, number, bias == _NO_BIAS) * abs(gear),
        )
        if joint in gains:
            own = JointGains(*(one + other for one, other in zip(gains[joint], own, strict=True)))
        gains[joint] = own
    return gains, commands


def control_limits(model: mujoco.MjModel, control: int) -> tuple[float, float]:
    """Returns the range of a control, given by number; infinite without a limit.

    MuJoCo clamps the excitation of every muscle to 0..1 (mju_muscleDynamics).
    """
    if not model.actuator_ctrllimited[control]:
        actuator = int(np.searchsorted(model.actuator_ctrladr, control, side="right")) - 1
        if int(model.actuator_dyntype[actuator]) == _MUSCLE:
            return 0.0, 1.0
        return -np.inf, np.inf
    lower, upper = model.actuator_ctrlrange[control].tolist()
    return lower, upper


def hold(model: mujoco.MjModel, data: mujoco.MjData, number: int, given: Collection[str]) -> None:
    """Sets control and state of an actuator so that it exerts no force in its present position.

    Actuators without stiffness get 0, and controls stay within their ranges.

    Args:
        model: The model.
        data: Its data, with positions.
        number: Number of the actuator.
        given: The fields that stay as they are, of ``ctrl`` and ``act``.
    """
    dynamics, gain = int(model.actuator_dyntype[number]), int(model.actuator_gaintype[number])
    length, wanted = float(data.actuator_length[number]), 0.0
    if gain == _PID:
        wanted = length
    elif gain == _FIXED_GAIN and int(model.actuator_biastype[number]) == _AFFINE:
        factor, (offset, stiffness) = (
            model.actuator_gainprm[number, 0],
            model.actuator_biasprm[number, :2],
        )
        if factor and stiffness:
            wanted = float(-(offset + stiffness * length) / factor) + 0.0  # no -0
    at, state = int(model.actuator_ctrladr[number]), int(model.actuator_actadr[number])
    if "ctrl" not in given:
        data.ctrl[at] = 0.0 if dynamics == _INTEGRATOR else wanted
        data.ctrl[at] = np.clip(data.ctrl[at], *control_limits(model, at))
    if "act" not in given and dynamics in _FOLLOWING:
        data.act[state] = wanted if dynamics == _INTEGRATOR else data.ctrl[at]


def _largest_force(model: mujoco.MjModel, number: int, is_motor: bool) -> float:
    """Returns the largest magnitude of an actuator's force, before its gear; inf for no limit."""
    if model.actuator_forcelimited[number]:
        return float(np.abs(model.actuator_forcerange[number]).max())
    control_number = int(model.actuator_ctrladr[number])
    if is_motor and model.actuator_ctrllimited[control_number]:
        control = float(np.abs(model.actuator_ctrlrange[control_number]).max())
        return control * abs(float(model.actuator_gainprm[number, 0]))
    return float(np.inf)
