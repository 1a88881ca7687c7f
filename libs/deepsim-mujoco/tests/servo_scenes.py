# SPDX-License-Identifier: Apache-2.0
"""A light wheel, or a slide, whose servo is stiffer than a step of explicit damping allows.

Tests and benchmarks/contacts.py share it. The laws of motion of its one axis are the theory.
"""

from __future__ import annotations

import numpy as np
from contact_scenes import Scene

from deepsim_math import Pose
from deepsim_spawn import (
    ContactSensor,
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

INERTIA = 0.0025
"""Of the wheel [kg m^2], or the slide [kg]."""


def wheel(kind: str = "revolute") -> ModelDescription:
    """Returns a light wheel, or a slide, on a base fixed to the world."""
    inertial = Inertial(INERTIA if kind == "prismatic" else 0.5, Pose(), *[INERTIA] * 3)
    sensors = (
        SensorDescription("imu", measurement=Imu()),
        SensorDescription("touch", measurement=ContactSensor()),
    )
    return ModelDescription(
        "wheel",
        links=(
            LinkDescription("base", inertial=Inertial(1.0, Pose(), 0.01, 0.01, 0.01)),
            LinkDescription("rim", inertial=inertial, sensors=sensors),
        ),
        joints=(
            JointDescription("foot", "fixed", "world", "base"),
            JointDescription("axle", kind, "base", "rim", axis=JointAxis((0, 0, 1))),
        ),
    )


def wheel_world(
    worlds: int,
    dt: float = 0.001,
    steps: int = 1,
    kind: str = "revolute",
    options: MujocoOptions | None = None,
) -> World:
    """Returns worlds without gravity that hold the wheel."""
    physics = Physics(dt, mujoco=options or MujocoOptions())
    described = WorldDescription(gravity=(0, 0, 0), physics=physics)
    world = World(Scene.make(described, worlds=worlds), steps_per_tick=steps)
    world.spawn(wheel(kind), "wheel", Pose((0, 0, 1)))
    return world


def settling(ratio: float, limit: float, **settings: object) -> float:
    """Returns the time until a limited servo keeps 2 rad/s within 0.1 %, over I dv / L.

    It is at most the second for which the scene is played.

    Args:
        ratio: Damping times time step over inertia.
        limit: Of the effort [N m].
        settings: Of the world.
    """
    world = wheel_world(1, **settings)
    step, goal = world.simulator.timestep, 2.0
    axle = world.joints.select(["wheel::axle"])
    axle.put(damping=[[ratio * INERTIA / step]], effort_limit=[[limit]])
    axle.target_velocity = [[goal]]
    time = step
    for number in range(round(1.0 / step)):
        world.tick()
        if abs(axle.velocity[0, 0] - goal) > 0.001 * goal:
            time = (number + 2) * step
    return time / (INERTIA * goal / limit)


def momentum_felt(ratio: float, **settings: object) -> tuple[float, float]:
    """Returns what a slide's efforts and its inertial unit add up to, over its momentum.

    Args:
        ratio: Damping times time step over mass.
        settings: Of the world.
    """
    world = wheel_world(1, kind="prismatic", **settings)
    step = world.simulator.timestep
    axle, imu = world.joints.select(["wheel::axle"]), world.sensors["wheel::rim::imu"]
    axle.damping = [[ratio * INERTIA / step]]
    axle.target_velocity = [[1.0]]
    total = np.zeros(2)
    for _ in range(200):
        world.tick()
        total += step * np.array([axle.effort[0, 0], INERTIA * imu.linear_acceleration[0, 2]])
    effort, felt = total / (INERTIA * axle.velocity[0, 0])
    return float(effort), float(felt)
