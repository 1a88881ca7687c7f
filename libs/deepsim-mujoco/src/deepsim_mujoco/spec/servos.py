# SPDX-License-Identifier: Apache-2.0
"""Joint axes, each with a servo that executes the commands of the joints table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from deepsim_math import Vector3
from deepsim_mujoco.imports import mujoco
from deepsim_spawn import JointAxis, JointDescription
from deepsim_sync import SCOPE

_FAST, _SLOW = 1e10, 1e-12  # target speeds that stand for no limit and a limit of 0 [rad/s or m/s]
_ALL_INPUTS = 7  # flags of a servo's inputs: position, velocity and feedforward
_STIFFEST = 1e-9  # time constant, which MuJoCo raises to two steps [s]
_HARD = 0.99  # impedance, equal to that of contacts
_LOCKED = 1e-6  # play of a joint with equal limits [rad or m]


class Axis(NamedTuple):
    """An axis of a joint; MuJoCo's actuator has the same name."""

    name: str
    description: JointAxis
    servo: mujoco.MjsActuator
    leader: str = ""
    """Name of the axis that this one follows, if any."""
    ball: str = ""
    """Name of its ball joint, if any; other joints of MuJoCo are named after their axes."""
    degree: int = 0
    """Index of the axis in its ball joint."""
    gains: tuple[float, float] = (0.0, 0.0)
    """Described stiffness [N m/rad or N/m] and damping [N m s/rad or N s/m]."""
    target: float = 0.0
    """Described target position [rad or m]."""

    @property
    def joint(self) -> str:
        """Name of MuJoCo's joint."""
        return self.ball or self.name


def add_axes(
    spec: mujoco.MjSpec, body: mujoco.MjsBody, joint: JointDescription, name: str
) -> Iterator[Axis]:
    """Adds the degrees of freedom of a joint to a body, and yields its axes."""
    position = list(joint.pose.position)
    if joint.type == "ball":
        body.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_BALL, pos=position)
        yield from ball_axes(spec, name)
    for axis, suffix in ((joint.axis, ""), (joint.axis2, SCOPE + "2")):
        if axis is not None:
            slides = joint.type == "prismatic"
            added = body.add_joint(
                name=name + suffix,
                type=mujoco.mjtJoint.mjJNT_SLIDE if slides else mujoco.mjtJoint.mjJNT_HINGE,
                pos=position,
                axis=list(joint.pose.orientation.rotate(axis.xyz)),
            )
            _set_axis(added, axis)
            leader = "" if axis.mimic is None else _beside(name, axis.mimic.joint)
            yield Axis(added.name, axis, add_servo(spec, added.name, axis), leader)


def ball_axes(spec: mujoco.MjSpec, name: str) -> Iterator[Axis]:
    """Adds the servos of a ball joint, one about each axis of the child's frame."""
    for degree, along in enumerate(np.eye(3)):
        axis = JointAxis(Vector3(*along))
        own = name + f"{SCOPE}{degree + 1}" * (degree > 0)
        servo = add_servo(spec, own, axis, name)
        servo.gear = [*along, 0.0, 0.0, 0.0]
        yield Axis(own, axis, servo, ball=name, degree=degree)


def _beside(name: str, other: str) -> str:
    """Returns the scoped name of another joint of the same model."""
    return name.rpartition(SCOPE)[0] + SCOPE + other


def speed_limit(velocity: Any) -> Any:
    """Returns a velocity limit within the range that MuJoCo accepts [rad/s or m/s]."""
    return np.clip(velocity, _SLOW, _FAST)


def _set_axis(joint: mujoco.MjsJoint, axis: JointAxis) -> None:
    if math.isfinite(axis.lower) or math.isfinite(axis.upper):
        # MuJoCo has neither one-sided limits nor limits that lock a joint.
        slack = _LOCKED if axis.lower == axis.upper else 0.0
        joint.limited = mujoco.mjtLimited.mjLIMITED_TRUE
        joint.range = [max(axis.lower, -1e10) - slack, min(axis.upper, 1e10) + slack]
        # With MuJoCo's own softness, a link that hits the limit at 5 rad/s passes it by 34 mrad.
        # Without it, a joint whose limits exclude its initial position 0 would be thrown back.
        if axis.lower <= 0.0 <= axis.upper:
            joint.solref_limit, joint.solimp_limit[:2] = [_STIFFEST, 1.0], [_HARD, _HARD]
    joint.damping = [axis.damping, 0.0, 0.0]  # linear, quadratic, cubic
    joint.frictionloss = axis.friction
    # With MuJoCo's own softness, a joint that should hold creeps by a centimetre per second.
    joint.solref_friction, joint.solimp_friction[:2] = [_STIFFEST, 1.0], [_HARD, _HARD]
    joint.stiffness = [axis.spring_stiffness, 0.0, 0.0]
    joint.springref = axis.spring_reference


def add_servo(
    spec: mujoco.MjSpec,
    name: str,
    axis: JointAxis,
    joint: str = "",
    *,
    gains: tuple[float, float] = (0.0, 0.0),
) -> mujoco.MjsActuator:
    """Adds the servo of an axis; without gains or a feedforward, the servo is passive."""
    servo = spec.add_actuator(name=name, target=joint or name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    slew = float(speed_limit(axis.velocity))
    servo.set_to_pid(kp=gains[0], kv=gains[1], slewmax=slew, ctrlspec=_ALL_INPUTS)
    servo.forcelimited = mujoco.mjtLimited.mjLIMITED_TRUE
    effort = max(axis.effort, _SLOW)  # MuJoCo refuses an empty range
    servo.forcerange = [-effort, effort]
    return servo
