# SPDX-License-Identifier: Apache-2.0
"""The cost of joints, sensors and controllers, beside MuJoCo's own batch of the same robot.

A quadruped of 12 joints stands on a plane; a control step is 10 physics steps of 1 ms. A call of
each row is timed in turn, in one process; a figure is the processor time of the median call of a
turn, the least of all turns, per world. One thread steps all worlds.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import process_time_ns
from typing import Any

os.cpu_count = lambda: 1  # by default a simulator steps its worlds with as many threads

import mujoco  # noqa: E402 (after the line above)
import numpy as np  # noqa: E402
from report import write  # noqa: E402

from deepsim import GazeboXMLLoader, MujocoSimulator, Pose, World, load_task  # noqa: E402
from deepsim_robots import (  # noqa: E402
    EndEffectorPose,
    MountedSensor,
    Part,
    Robot,
    RobotConfig,
    find_robot,
)
from deepsim_spawn import (  # noqa: E402
    ContactSensor,
    Imu,
    ModelSpawner,
    SensorDescription,
    WorldDescription,
)

COUNTS = (1, 256)
ARMS = 256
STEPS = 10
RAYS = 360
TURN = 20e6  # duration of a turn of a short call, about [ns]
FEET = [f"{end}_foot" for end in ("front_left", "front_right", "rear_left", "rear_right")]
GROUND = GazeboXMLLoader().load_model(
    "<sdf version='1.6'><model name='ground'><static>true</static><link name='link'>"
    "<collision name='c'><geometry><plane/></geometry></collision></link></model></sdf>"
)
BOX = (
    "<sdf version='1.6'><model name='box'><static>true</static><link name='link'>"
    "<collision name='c'><geometry><box><size>.4 .4 1</size></box></geometry></collision>"
    "</link></model></sdf>"
)

Call = Callable[[], object]
Row = tuple[Call, int]
"""What is timed, and the number of worlds in it."""
BARS = {
    "joints read and commanded, W = 1 / bare batch": 1.15,
    "joints read and commanded, W = 256 / bare batch": 1.10,
    "5 sensors unread, W = 1 / without them": 1.02,
    "5 sensors unread, W = 256 / without them": 1.02,
    "IMU and 4 contact sensors read, W = 1 / without them": 1.25,
    "IMU and 4 contact sensors read, W = 256 / without them": 1.25,
    "lidar of 360 rays, W = 1 / mj_multiRay": 1.5,
    "end-effector control, an arm of 256 [us]": 5.0,
    "examples/walk, W = 256 / its physics": 1.0 / 0.7,
}


def empty(worlds: int) -> World:
    """Returns worlds of a plane."""
    simulator = MujocoSimulator(WorldDescription(models=(GROUND,)), worlds=worlds)
    return World(simulator, steps_per_tick=STEPS)


def quadruped(worlds: int, *sensors: MountedSensor) -> tuple[World, Robot]:
    """Returns worlds with a quadruped that has stood for half a second."""
    world = empty(worlds)
    config = replace(find_robot("quadruped").load(), parts={}, sensors=sensors)
    robot = Robot(world, config, "dog")
    for _ in range(50):
        world.tick()
    return world, robot


def steps_of_quadrupeds(worlds: int) -> dict[str, Row]:
    """Returns control steps by name."""
    simulator: Any = quadruped(worlds)[0].simulator
    batch = simulator._states.batch
    world, robot = quadruped(worlds)
    joints = robot.joints.rows
    targets = np.tile(robot.joints.traits.home, (worlds, 1))

    def read_and_commanded() -> object:
        joints.target_position = targets
        world.tick()
        return joints.position, joints.velocity, joints.effort

    imu = SensorDescription("own_imu", measurement=Imu())
    touch = SensorDescription("touch", measurement=ContactSensor())
    mounted = (MountedSensor("trunk", imu), *(MountedSensor(foot, touch) for foot in FEET))
    unread, _ = quadruped(worlds, *mounted)
    felt, _ = quadruped(worlds, *mounted)
    own = felt.sensors["dog::trunk::own_imu"]
    feet = felt.sensors.select([f"dog::{foot}::touch" for foot in FEET])

    def feel() -> object:
        felt.tick()
        touch = feet.read()
        return tuple(own.read().values()), touch["found"], touch["force"]

    without, _ = quadruped(worlds)
    rows: dict[str, Call] = {
        "bare batch": lambda: batch.step(None, nstep=STEPS),
        "joints read and commanded": read_and_commanded,
        "without them": without.tick,
        "5 sensors unread": unread.tick,
        "IMU and 4 contact sensors read": feel,
    }
    return {f"{name}, W = {worlds}": (call, worlds) for name, call in rows.items()}


def lidars() -> dict[str, Row]:
    """Returns scans of 360 rays among 20 boxes: ours, and MuJoCo's own from the same place."""
    world = empty(1)
    for number in range(20):
        angle = 2.0 * np.pi * number / 20
        place = Pose((4.0 * np.cos(angle), 4.0 * np.sin(angle), 0.5))
        ModelSpawner(BOX).spawn(world, f"box_{number}", place)
    Robot.load(world, "diffbot", "bot")
    lidar = world.sensors["bot::lidar::scan"]
    world.tick()

    def scan() -> object:
        lidar._polled = None  # as if it were another instant
        lidar._index[:] = -1
        return lidar.read()

    simulator: Any = world.simulator
    model, data = simulator.cameras._single.load(0)
    mujoco.mj_forward(model, data)
    angles = np.linspace(-np.pi, np.pi, RAYS, endpoint=False)
    along = np.stack([np.cos(angles), np.sin(angles), np.zeros(RAYS)], axis=1)
    body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, "bot::lidar")
    hit, far = np.zeros(RAYS, np.int32), np.zeros(RAYS)

    def multi_ray() -> None:
        place = data.xpos[body]
        mujoco.mj_multiRay(
            model, data, place, along.reshape(-1), None, 1, body, hit, far, None, RAYS, 30.0
        )

    return {"lidar of 360 rays, W = 1": (scan, 1), "mj_multiRay": (multi_ray, 1)}


def arms() -> dict[str, Row]:
    """Returns ticks of arms: by targets of joints, and by poses of the hand."""

    def ticks(*, hand: bool) -> Call:
        world = World(MujocoSimulator(worlds=ARMS))
        config: RobotConfig = find_robot("arm").load()
        if hand:
            part = Part(["joint_.*"], EndEffectorPose(link="hand", delta=True))
            config = replace(config, parts={**config.parts, "arm": part})
        robot = Robot(world, config, "arm")
        action = np.zeros((ARMS, robot.action_size))
        action[:, :3] = 0.1

        def tick() -> None:
            robot.set_action(action)
            world.tick()

        return tick

    return {"arms by joints": (ticks(hand=False), ARMS), "arms by hand": (ticks(hand=True), ARMS)}


def walk() -> dict[str, Row]:
    """Returns steps of the task, and the same number of physics steps of these worlds alone."""
    worlds = COUNTS[-1]
    task = load_task(Path(__file__).parents[1] / "examples" / "walk")
    environment = task.environment(0, worlds)
    environment.reset_worlds()
    trot = np.zeros((worlds, 1, 12), np.float32)
    simulator, steps = environment.world.simulator, environment.frame_skip
    return {
        "examples/walk, W = 256": (lambda: environment.step_worlds((trot,)), worlds),
        "its physics": (lambda: simulator.step(steps), worlds),
    }


def least_times(rows: dict[str, Row], rounds: int) -> dict[str, float]:
    """Returns the processor time of a call by name, per world, in the best of its turns [ns]."""
    counts, least = {}, dict.fromkeys(rows, np.inf)
    for name, (call, _) in rows.items():
        call()
        start = process_time_ns()
        call()
        counts[name] = max(1, int(TURN / max(1, process_time_ns() - start)))
    for _ in range(rounds):
        for name, (call, worlds) in rows.items():
            spent = []  # other processes disturb some calls of a turn, not the median one
            for _ in range(counts[name]):
                start = process_time_ns()
                call()
                spent.append(process_time_ns() - start)
            least[name] = min(least[name], median(spent) / worlds)
    return least


def main() -> None:
    """Measures all in turns, prints times, ratios and bars, and writes them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    rows = {**lidars(), **arms(), **walk()}
    for worlds in COUNTS:
        rows |= steps_of_quadrupeds(worlds)
    least = least_times(rows, parser.parse_args().rounds)
    figures: dict[str, Any] = {f"{name} [us]": time / 1e3 for name, time in least.items()}
    for name, bar in BARS.items():
        if " / " in name:
            row, base = name.split(" / ")
            base = base if base in least else f"{base}, W = {row.rsplit(' ', 1)[1]}"
            value = least[row] / least[base]
        else:
            value = (least["arms by hand"] - least["arms by joints"]) / 1e3
        figures[name] = f"{value:.3g} (bar {bar:g}: {'met' if value <= bar else 'MISSED'})"
    write("robots", figures, "mujoco", "numpy")


if __name__ == "__main__":
    main()
