# SPDX-License-Identifier: Apache-2.0
"""The arm of `engine` as a model of deepsim_spawn, in a simulator."""

from __future__ import annotations

from typing import Any

import numpy as np
from engine import (
    BASE_INERTIA,
    BASE_MASS,
    CENTRE,
    INERTIA,
    LENGTH,
    LINKS,
    MOUNT,
    TURN,
    Floats,
    Servo,
)

from deepsim_math import Pose, Quaternion
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    ForceTorque,
    Imu,
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    ModelDescription,
    MujocoOptions,
    Physics,
    SensorDescription,
    WorldDescription,
)
from deepsim_sync import World

RAISED = Pose((0.0, 0.0, 1.0))
JOINTS = [f"arm::j{number}" for number in range(len(LINKS))]


def arm_model(*, floating: bool, mirrored: bool = False) -> ModelDescription:
    """Returns the arm; mirrored at the plane y = 0 on request."""
    side = np.array([1.0, -1.0 if mirrored else 1.0, 1.0])
    turn = Quaternion.from_euler(*TURN)
    if mirrored:
        turn = Quaternion(-turn.x, turn.y, -turn.z, turn.w)
    mount = Pose(tuple(side * MOUNT), turn)
    base = Inertial(BASE_MASS, Pose(), *BASE_INERTIA)
    links = [LinkDescription("base", inertial=base)]
    joints = [] if floating else [JointDescription("foot", "fixed", "world", "base")]
    for number, (mass, axis) in enumerate(LINKS):
        parent, name = links[-1].name, f"l{number}"
        inertial = Inertial(mass, Pose(tuple(side * CENTRE)), *(mass * each for each in INERTIA))
        sensors = (
            SensorDescription("felt", measurement=ForceTorque()),
            SensorDescription("imu", measurement=Imu(), pose=mount),
        )
        links.append(
            LinkDescription(
                name,
                Pose((LENGTH * number, 0.0, 0.1)),
                inertial,
                sensors=sensors if number == len(LINKS) - 1 else (),
            )
        )
        # An axis is an axial vector, so that a mirror turns it the other way about.
        axis = tuple(-side * axis) if mirrored else axis
        joints.append(
            JointDescription(f"j{number}", "revolute", parent, name, axis=JointAxis(axis))
        )
    return ModelDescription("arm", links=tuple(links), joints=tuple(joints))


def arm_world(
    servo: Servo,
    dt: float,
    *,
    floating: bool,
    gravity: float = -9.8,
    integrator: Any = "implicitfast",
    worlds: int = 1,
    steps: int = 1,
    mirrored: bool = False,
    pose: Pose = RAISED,
) -> World:
    """Returns a world with the arm and its gains."""
    physics = Physics(max_step_size=dt, mujoco=MujocoOptions(integrator=integrator))
    described = WorldDescription(gravity=(0.0, 0.0, gravity), physics=physics)
    world = World(MujocoSimulator(described, worlds=worlds), steps_per_tick=steps)
    world.spawn(arm_model(floating=floating, mirrored=mirrored), "arm", pose)
    axes = world.joints.select(JOINTS)
    shape = np.ones((worlds, len(JOINTS)))
    axes.put(
        stiffness=servo.stiffness * shape,
        damping=servo.damping * shape,
        effort_limit=servo.limit * shape,
    )
    return world


def targets(time: float) -> tuple[Floats, Floats, Floats]:
    """Returns restless target positions, target velocities and feedforwards, (axes,) each."""
    phase = np.arange(3.0)
    return (
        1.5 * np.sin(9.0 * time + phase),
        3.0 * np.cos(7.0 * time + phase),
        np.array([0.5, -1.0, 0.25]),
    )
