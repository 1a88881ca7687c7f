# SPDX-License-Identifier: Apache-2.0
"""Adds the actuators of MJCF models to the spec of a world: servos of joints, and the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from deepsim_math import Vector3
from deepsim_mujoco.imports import mujoco
from deepsim_spawn import JointAxis
from deepsim_sync import SCOPE, Control

from .builder import Built
from .mjcf_actuators import (
    UNLIMITED,
    ActuatorRow,
    JointCommand,
    JointGains,
    control_limits,
    control_name,
    marked_name,
)
from .servos import Axis, add_servo, ball_axes


def add_actuators(
    child: mujoco.MjSpec,
    built: Built,
    model: mujoco.MjModel,
    data: mujoco.MjData,
    numbers: Iterable[int],
) -> None:
    """Names the actuators that are kept, and records their initial controls and states."""
    for number, actuator in zip(numbers, child.actuators, strict=True):
        own = actuator.name or f"actuator {number}"
        actuator.name = marked_name(own)
        # Else MuJoCo would search for the range in each compilation, which takes seconds.
        actuator.lengthrange = model.actuator_lengthrange[number].tolist()
        # With limits that do not act, each world can get its own.
        if not model.actuator_forcelimited[number]:
            actuator.forcelimited, actuator.forcerange = True, [-UNLIMITED, UNLIMITED]
        first, count = model.actuator_actadr[number], model.actuator_actnum[number]
        start = int(model.actuator_ctrladr[number])
        for control in range(int(model.actuator_ctrlnum[number])):
            built.actuators[built.name + SCOPE + control_name(own, control)] = ActuatorRow(
                built.name + SCOPE + actuator.name,
                control,
                float(data.ctrl[start + control]),
                *control_limits(model, start + control),
                tuple(data.act[first : first + count].tolist()),
            )
        # Targets are clamped where they are set, so that each world can have its own limits.
        actuator.ctrllimited, actuator.ctrlrange = True, [-UNLIMITED, UNLIMITED]


def add_servos(
    spec: mujoco.MjSpec,
    built: Built,
    model: mujoco.MjModel,
    data: mujoco.MjData,
    gains: Mapping[int, JointGains],
) -> None:
    """Creates the axes of joints with the gains of their actuators, which hold initial positions.

    Records the initial positions of all joints.
    """
    for number, kind in enumerate(model.jnt_type.tolist()):
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            continue
        joint = model.joint(number)
        name = built.name + SCOPE + joint.name
        built.positions[name] = data.joint(number).qpos.copy()
        if kind == mujoco.mjtJoint.mjJNT_BALL:
            axes = [*ball_axes(spec, name)]
        else:
            lower, upper = joint.range if model.jnt_limited[number] else (-np.inf, np.inf)
            own = gains.get(number, JointGains())
            limited = model.jnt_actfrclimited[number]
            effort = np.abs(model.jnt_actfrcrange[number]).max() if limited else np.inf
            effort = min(float(effort), own.effort)
            axis = JointAxis(
                Vector3(*joint.axis), lower=float(lower), upper=float(upper), effort=effort
            )
            held = own.stiffness, own.damping
            servo = add_servo(spec, name, axis, gains=held)
            target = float(built.positions[name][0]) if own.stiffness else 0.0
            axes = [Axis(name, axis, servo, gains=held, target=target)]
        built.axes.update((each.name, each) for each in axes)
        built.others += (each.servo for each in axes)


def controls_of(
    built: Built, model: mujoco.MjModel, commands: Mapping[int, Iterable[JointCommand]]
) -> list[Control]:
    """Returns the controls of a model in the order of its file."""
    found: list[Control] = []
    for number in range(model.nactuator):
        own = model.actuator(number).name or f"actuator {number}"
        for count, (joint, at, column, scale, offset) in enumerate(commands.get(number, ())):
            row = built.name + SCOPE + model.joint(joint).name
            name, limits = control_name(own, count), control_limits(model, at)
            found.append(Control(name, "joints", row, column, scale, offset, *limits))
        if number in commands:
            continue
        for count in range(int(model.actuator_ctrlnum[number])):
            name = control_name(own, count)
            row = built.name + SCOPE + name
            limits = built.actuators[row].lower, built.actuators[row].upper
            found.append(Control(name, "actuators", row, "target", 1.0, 0.0, *limits))
    return found
