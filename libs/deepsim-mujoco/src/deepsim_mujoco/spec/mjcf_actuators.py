# SPDX-License-Identifier: Apache-2.0
"""Reads gains and limits of joints from the actuators of a compiled MJCF model."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from deepsim_mujoco.engine import mujoco

_JOINTS = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))
_SCALAR = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
_LINEAR = (int(mujoco.mjtGain.mjGAIN_FIXED), int(mujoco.mjtGain.mjGAIN_PID))
_NO_BIAS, _AFFINE = int(mujoco.mjtBias.mjBIAS_NONE), int(mujoco.mjtBias.mjBIAS_AFFINE)
_INSTANT = (int(mujoco.mjtDyn.mjDYN_NONE), int(mujoco.mjtDyn.mjDYN_INTEGRATOR))
_LOST = {
    int(mujoco.mjtDyn.mjDYN_FILTER): "time constant",
    int(mujoco.mjtDyn.mjDYN_FILTEREXACT): "time constant",
    int(mujoco.mjtDyn.mjDYN_PID): "integral and slew limit",
}
"""Dynamics of actuators that the gains of a joint do not have."""


class JointGains(NamedTuple):
    """Gains of a joint [N m/rad or N/m, N m s/rad or N s/m], and its largest effort [N m or N]."""

    stiffness: float = 0.0
    damping: float = 0.0
    effort: float = np.inf


def actuator_gains(model: mujoco.MjModel) -> tuple[dict[int, JointGains], list[str]]:
    """Returns the gains that the actuators of a model give to its hinges and slides.

    An actuator with gear g exerts the effort g (gain u + b0 + b1 g q + b2 g q'), so its stiffness
    is -b1 g^2 and its damping -b2 g^2 (MuJoCo, Computation, Actuation model). Efforts and limits of
    several actuators of a joint add up. The limit is the force range; without it, for a motor, the
    force at the end of the control range.

    Returns:
        The gains by number of the joint, and phrases that name the actuators without such gains,
        and dynamics that gains cannot represent.
    """
    gains: dict[int, JointGains] = {}
    others: list[str] = []
    for number in range(model.nactuator):
        joint = int(model.actuator_trnid[number, 0])
        bias, dynamics = int(model.actuator_biastype[number]), int(model.actuator_dyntype[number])
        given = model.actuator(number).name
        name = repr(given) if given else f"number {number}"
        if (
            int(model.actuator_trntype[number]) not in _JOINTS
            or int(model.jnt_type[joint]) not in _SCALAR
            or int(model.actuator_gaintype[number]) not in _LINEAR
            or bias not in (_NO_BIAS, _AFFINE)
            or dynamics not in (*_INSTANT, *_LOST)
        ):
            others.append(name)
            continue
        if dynamics in _LOST:
            others.append(f"{_LOST[dynamics]} of {name}")
        gear = abs(float(model.actuator_gear[number, 0]))
        _, position, velocity = model.actuator_biasprm[number, :3].tolist()
        own = JointGains(
            max(0.0, -position) * gear**2 if bias == _AFFINE else 0.0,
            max(0.0, -velocity) * gear**2 if bias == _AFFINE else 0.0,
            _largest_force(model, number, bias == _NO_BIAS) * gear,
        )
        if joint in gains:
            own = JointGains(*(one + other for one, other in zip(gains[joint], own, strict=True)))
        gains[joint] = own
    return gains, others


def _largest_force(model: mujoco.MjModel, number: int, is_motor: bool) -> float:
    """Returns the largest magnitude of an actuator's force, before its gear; inf for no limit."""
    if model.actuator_forcelimited[number]:
        return float(np.abs(model.actuator_forcerange[number]).max())
    control_number = int(model.actuator_ctrladr[number])
    if is_motor and model.actuator_ctrllimited[control_number]:
        control = float(np.abs(model.actuator_ctrlrange[control_number]).max())
        return control * abs(float(model.actuator_gainprm[number, 0]))
    return float(np.inf)
