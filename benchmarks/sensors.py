# SPDX-License-Identifier: Apache-2.0
"""What sensors cost on a dog of 12 joints: unread, read, and a lidar beside MuJoCo's own rays.

All take turns in one process and one thread, timed by the processor's clock; a ratio is that of
the least times.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import replace
from time import process_time

import numpy as np
from contact_cost import dog, ground
from report import write

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_mujoco.engine import mujoco
from deepsim_spawn import (
    Box,
    CollisionDescription,
    ContactSensor,
    Imu,
    Lidar,
    LinkDescription,
    ModelDescription,
    Rays,
    SensorDescription,
)
from deepsim_sync import World

STEPS = 10
"""Physics steps of a control step."""


def with_sensors(model: ModelDescription) -> ModelDescription:
    """Adds a contact sensor to each foot, and an inertial unit and a lidar to the trunk."""

    def sensors(name: str) -> tuple[SensorDescription, ...]:
        if name == "trunk":
            scan = Lidar(Rays(360, -np.pi, np.pi))
            return (
                SensorDescription("imu", measurement=Imu()),
                SensorDescription("scan", pose=Pose((0, 0, -0.2)), measurement=scan),
            )
        return (SensorDescription("touch", measurement=ContactSensor()),) * name.endswith("2")

    links = tuple(replace(link, sensors=sensors(link.name)) for link in model.links)
    return replace(model, links=links)


def walls() -> ModelDescription:
    """Forty boxes around."""
    places = [(6 * np.cos(a), 6 * np.sin(a), 0.5) for a in np.linspace(0, 6.1, 40)]
    boxes = tuple(
        CollisionDescription(f"c{n}", Box((0.5, 0.5, 1)), Pose(place))
        for n, place in enumerate(places)
    )
    return ModelDescription("walls", links=(LinkDescription("l", collisions=boxes),), static=True)


def trample(world: World) -> None:
    """Runs a control step that swings the legs, so that feet come and go."""
    phase = 20.0 * world.time[:, None] + np.arange(12)
    world.joints.target_position = 0.4 * np.sin(phase)
    world.tick()


def make(worlds: int, *, sensors: bool) -> World:
    """Makes worlds with a dog that tramples."""
    ((model, pose),) = dog()
    world = World(MujocoSimulator(worlds=worlds, threads=1), steps_per_tick=STEPS)
    world.spawn(ground(), "ground", Pose())
    world.spawn(with_sensors(model) if sensors else model, "dog", pose)
    world.joints.put(stiffness=60.0, damping=1.0)
    for _ in range(50):
        trample(world)
    return world


def least(calls: Mapping[str, Callable[[], object]], rounds: int, repeats: int) -> dict[str, float]:
    """Returns the least time of each call [us]."""
    times = dict.fromkeys(calls, np.inf)
    for _ in range(rounds):
        for name, call in calls.items():
            start = process_time()
            for _ in range(repeats):
                call()
            times[name] = min(times[name], (process_time() - start) / repeats * 1e6)
    return times


def control_steps(worlds: int, rounds: int, repeats: int) -> dict[str, float]:
    """Returns times of a control step, and what sensors add to it."""
    bare, unread, watched = (make(worlds, sensors=each) for each in (False, True, True))
    names = [name for name in watched.sensors if not name.endswith("scan")]
    read = [watched.sensors[name] for name in names]
    assert len(read) == 5

    def measure() -> None:
        trample(watched)
        for sensor in read:
            sensor.read()

    calls = {
        "bare": lambda: trample(bare),
        "unread": lambda: trample(unread),
        "read": measure,
    }
    times = least(calls, rounds, repeats)
    return {
        f"W = {worlds}: control step [us]": times["bare"],
        f"W = {worlds}: unread sensors add [%]": 100 * (times["unread"] / times["bare"] - 1),
        f"W = {worlds}: 4 contacts and an IMU add [%]": 100 * (times["read"] / times["bare"] - 1),
        f"W = {worlds}: the same [us a world]": (times["read"] - times["bare"]) / worlds,
    }


def lidar(rounds: int, repeats: int) -> dict[str, float]:
    """Returns times of 360 rays: ours, which pass the dog's own legs, and MuJoCo's call alone."""
    world = make(1, sensors=True)
    world.spawn(walls(), "walls", Pose())
    sensors = world.simulator.sensors
    sensors.watch("dog::trunk::scan")
    model, data = world.simulator._states.model, mujoco.MjData(world.simulator._states.model)
    world.simulator._states.batch.get_data(0, data)
    mujoco.mj_forward(model, data)
    angles = np.linspace(-np.pi, np.pi, 360)
    rays = np.column_stack([np.cos(angles), np.sin(angles), 0 * angles]).reshape(-1)
    site, trunk = data.site("#sensor dog::trunk::scan").xpos, model.body("dog::trunk").id
    geoms, ranges = np.empty(360, np.int32), np.empty(360)
    groups = np.array([0, 0, 0, 1, 0, 0], np.uint8)  # collisions
    calls = {
        "ours": lambda: sensors.read("dog::trunk::scan"),
        "mj_multiRay": lambda: mujoco.mj_multiRay(
            model, data, site, rays, groups, True, trunk, geoms, ranges, None, 360, 30.0
        ),
    }
    times = least(calls, rounds, repeats)
    return {
        "lidar of 360 rays, 54 geoms [us]": times["ours"],
        "mj_multiRay alone [us]": times["mj_multiRay"],
        "lidar / mj_multiRay": times["ours"] / times["mj_multiRay"],
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    rounds = parser.parse_args().rounds
    figures = {
        **control_steps(1, rounds, 50),
        **control_steps(256, rounds, 1),
        **lidar(rounds, 50),
    }
    write("sensors", figures, "deepsim-mujoco", "deepsim-sync", "mujoco")
