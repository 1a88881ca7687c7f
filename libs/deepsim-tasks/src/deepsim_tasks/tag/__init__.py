# SPDX-License-Identifier: Apache-2.0
"""Two cars chase two round robots that are slower, but turn on the spot.

Both teams learn at the same time, each against the other. A runner that is caught leaves the arena.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Space
from numpy.typing import NDArray

from deepsim_envs import Agents, Area, ArrayPolicy, Environment
from deepsim_math import Euler, Pose, quaternions
from deepsim_robots import Ackermann, DiffDrive, Robot, find_robot
from deepsim_spawn import GazeboXMLLoader, open_simulator
from deepsim_sync import CameraView, World
from deepsim_train import Task

RATE = 10  # steps of the policies in a second
SECONDS = 20.0  # in which all runners must be caught
HALF = np.array([3.0, 2.25])  # of the arena's length and width [m]
CATCH = 0.42  # between the middles of a car and a runner [m]
CAR_SPEED, RUNNER_SPEED = 1.4, 1.0  # fastest [m/s]

SHAPE = """
<collision name="{name}"><pose>{x} {y} {z} 0 0 0</pose><geometry>{shape}</geometry></collision>
<visual name="{name}"><pose>{x} {y} {z} 0 0 0</pose><geometry>{shape}</geometry>
  <material><ambient>{rgb} 1</ambient><diffuse>{rgb} 1</diffuse></material></visual>
"""


def wall(name: str, x: float, y: float, length: float, width: float) -> str:
    """Returns SDF of a wall of 20 cm around its middle."""
    shape = f"<box><size>{length} {width} .2</size></box>"
    return SHAPE.format(name=name, x=x, y=y, z=0.1, shape=shape, rgb=".75 .72 .66")


WALLS = [
    *(wall(f"end{x:+}", x * (HALF[0] + 0.05), 0.0, 0.1, 2.0 * HALF[1] + 0.2) for x in (-1, 1)),
    *(wall(f"side{y:+}", 0.0, y * (HALF[1] + 0.05), 2.0 * HALF[0], 0.1) for y in (-1, 1)),
]
WORLD = f"""
<sdf version="1.7">
  <world name="court">
    <physics type="ode"><max_step_size>0.01</max_step_size></physics>
    <light name="sun" type="directional"><direction>-0.3 0.5 -0.9</direction></light>
    <model name="court"><static>true</static><link name="link">
      <collision name="plane"><geometry><plane/></geometry></collision>
      <visual name="plane"><geometry><plane><size>14 10</size></plane></geometry>
        <material><ambient>.6 .64 .6 1</ambient><diffuse>.6 .64 .6 1</diffuse></material></visual>
      {"".join(WALLS)}
    </link></model>
  </world>
</sdf>
"""

CHASERS, RUNNERS = ("chaser_1", "chaser_2"), ("runner_1", "runner_2")
BENCH = 6.0  # where caught runners stand, along x [m]
SEEN = Box(-10.0, 10.0, (22,))  # own motion (6), three others (5 each), time left (1)
DRIVE = Box(-1.0, 1.0, (2,))  # of the largest speed, and steering or turn rate

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Court(Area):
    """Chasers earn for each runner that they catch, runners for each step that they are free.

    Args:
        world: The world.
        scripted: Share of the episodes in which the runners follow `Scripted` whatever they choose,
            so that chasers that learn do not get used to the runners that learn beside them.
    """

    agents = (Agents(CHASERS, SEEN, DRIVE), Agents(RUNNERS, SEEN, DRIVE))
    reward_terms = ("catch", "nearer", "time")

    def __init__(self, world: World, scripted: float) -> None:
        super().__init__(world)
        self.share = scripted
        self.scripted: Bools = np.zeros(len(world), np.bool_)
        self.seen = np.zeros((len(world), 2, 22))  # by the runners
        car, runner = (find_robot(name).load() for name in ("car", "diffbot"))
        steer, drive = car.parts["base"].controller, runner.parts["base"].controller
        assert isinstance(steer, Ackermann)
        assert isinstance(drive, DiffDrive)
        steer = replace(steer, speed=(-0.5 * CAR_SPEED, CAR_SPEED))
        drive = replace(drive, lower=(-RUNNER_SPEED, -4.0), upper=(RUNNER_SPEED, 4.0))
        car = replace(car, parts={"base": replace(car.parts["base"], controller=steer)})
        runner = replace(runner, parts={"base": replace(runner.parts["base"], controller=drive)})
        self.robots = [
            *(Robot(world, car, name, Pose((0.0, y, 0.0))) for y, name in enumerate(CHASERS)),
            *(Robot(world, runner, name, Pose((2.0, y, 0.0))) for y, name in enumerate(RUNNERS)),
        ]
        self.models = world.models.select([*CHASERS, *RUNNERS])
        self.free: Bools = np.ones((len(world), 2), np.bool_)  # runners that play
        self.caught: Bools = np.zeros((len(world), 2), np.bool_)  # in this step
        self.gap = np.zeros((len(world), 2))  # from a runner to the nearest chaser [m]
        self.nearer = np.zeros((len(world), 2))  # change of that, of runners that play
        self.steps = np.zeros(len(world))

    def reset(self, worlds: NDArray[np.intp]) -> None:
        """Puts the chasers in the west, facing east, and the runners in the east."""
        pose = self.models.pose[worlds]
        drawn = self.world.uniform(-1.0, 1.0, (4, 3), worlds)
        side = np.array([-1.0, -1.0, 1.0, 1.0])
        pose[..., 0] = side * (2.1 + 0.4 * drawn[..., 0])
        pose[..., 1] = np.array([-1.0, 1.0, -1.0, 1.0]) + 0.6 * drawn[..., 1]
        turn = np.array([1.0, 1.0, np.pi, np.pi]) * drawn[..., 2]
        pose[..., 3:] = quaternions.from_axis_angle([0.0, 0.0, 1.0], turn)
        self.models.put(worlds, pose=pose)
        self.scripted[worlds] = self.world.uniform(0.0, 1.0, 1, worlds)[:, 0] < self.share
        self.free[worlds], self.caught[worlds], self.steps[worlds] = True, False, 0.0
        self.gap[worlds] = self.gaps()[worlds]
        self.nearer[worlds] = 0.0

    def act(self, actions: tuple[NDArray[np.float32], NDArray[np.float32]]) -> None:
        """Drives until the next step."""
        chosen = np.concatenate(actions, axis=1)
        if self.scripted.any():
            seen = self.seen[self.scripted]
            fled = Scripted().act(RUNNERS[0], seen.reshape(-1, 22), DRIVE, ())
            chosen[self.scripted, 2:] = fled.reshape(-1, 2, 2)
        chosen[:, 2:] *= self.free[..., None]
        for number, robot in enumerate(self.robots):
            robot.set_action(chosen[:, number])

    def update(self) -> None:
        """Takes the runners that were caught out of the arena."""
        gap = self.gaps()
        self.nearer = np.where(self.free, self.gap - gap, 0.0)
        self.caught = self.free & (gap < CATCH)
        self.free, self.gap, self.steps = self.free & ~self.caught, gap, self.steps + 1.0
        worlds = np.flatnonzero(self.caught.any(axis=1))
        if len(worlds):
            pose = self.models.pose[worlds]
            bench = np.array([[BENCH, -1.0], [BENCH, 1.0]])
            pose[:, 2:, :2] = np.where(self.caught[worlds, :, None], bench, pose[:, 2:, :2])
            self.models.put(worlds, pose=pose)

    def gaps(self) -> Floats:
        """Returns the distance of each runner from the nearest chaser, (W, 2)."""
        place = self.models.pose[..., :2]
        away = place[:, 2:, None] - place[:, None, :2]
        distance: Floats = np.sqrt((away * away).sum(axis=-1))
        return distance.min(axis=2)

    def observe(self) -> tuple[Floats, Floats]:
        """Returns what chasers and runners see, in their own frames, (W, 2, 22) each."""
        pose, twist = self.models.pose, self.models.twist
        place, turn = pose[..., :3], pose[..., 3:]
        there = np.concatenate([np.ones_like(self.free), self.free], axis=1)
        heading = quaternions.rotate(turn, [1.0, 0.0, 0.0])[..., :2]
        speed = quaternions.inverse_rotate(turn, twist[..., :3])[..., :1]
        columns = [place[..., :2] / HALF, heading, speed, 0.3 * twist[..., 5:]]
        order = np.array([[1, 2, 3], [0, 2, 3], [3, 0, 1], [2, 0, 1]])  # mate, opponents
        own = turn[:, :, None]
        away = quaternions.inverse_rotate(own, place[:, order] - place[:, :, None])[..., :2]
        motion = quaternions.inverse_rotate(own, twist[:, order, :3])[..., :2]
        plays = there[:, order, None]
        others = np.concatenate([0.5 * away * plays, motion * plays, plays], axis=-1)
        left = 1.0 - self.steps[:, None, None] / (RATE * SECONDS)
        left = np.broadcast_to(left, (*there.shape, 1))
        seen = np.concatenate([*columns, others.reshape(*there.shape, 15), left], axis=-1)
        self.seen = seen[:, 2:]
        return seen[:, :2], self.seen

    def reward(self) -> dict[str, Floats]:
        """Returns the terms for the chasers, which share them, and the runners; (W, 4) each."""
        caught, nearer = 2.0 * self.caught, 0.3 * self.nearer
        shared = np.ones((1, 2))
        return {
            "catch": np.concatenate([caught.sum(axis=1)[:, None] * shared, -caught], axis=1),
            "nearer": np.concatenate([nearer.sum(axis=1)[:, None] * shared, -nearer], axis=1),
            "time": np.concatenate([np.full_like(nearer, -0.01), 0.01 * self.free], axis=1),
        }

    def terminated(self) -> Bools:
        """Returns True for runners that are caught, and for chasers that caught all; (W, 4)."""
        done = ~self.free.any(axis=1, keepdims=True)
        return np.concatenate([done, done, ~self.free], axis=1)

    def info(self) -> dict[str, Any]:
        """Returns the number of runners caught and the success of the chasers, or of a runner."""
        caught = (~self.free).sum(axis=1)
        chasers = {"success": caught == 2, "caught": caught}
        runners = {name: {"success": self.free[:, n]} for n, name in enumerate(RUNNERS)}
        return dict.fromkeys(CHASERS, chasers) | runners


class Scripted(ArrayPolicy):
    """Chasers drive at the nearest runner; runners drive away from chasers and walls."""

    def act(
        self,
        agent: str,
        observations: Any,
        action_space: Space[Any],
        rngs: Sequence[np.random.Generator],
    ) -> Any:
        """Returns speed, and steering or turn rate, for each observation; (N, 2)."""
        seen = np.asarray(observations, dtype=np.float64)
        others = seen[:, 6:21].reshape(-1, 3, 5)[:, 1:]
        away, plays = 2.0 * others[..., :2], others[..., 4] > 0.5
        distance = np.sqrt((away * away).sum(axis=-1)) + 1e-6
        if agent in CHASERS:
            nearest = np.argmin(np.where(plays, distance, np.inf), axis=1)
            goal = np.take_along_axis(away, nearest[:, None, None], axis=1)[:, 0]
            angle = np.arctan2(goal[:, 1], goal[:, 0])
            return np.stack([np.ones(len(seen)), np.clip(2.0 * angle, -1.0, 1.0)], axis=1)
        flee = -(away / distance[..., None] ** 3).sum(axis=1)
        place, heading = seen[:, :2] * HALF, seen[:, 2:4]
        walls = -0.3 * place / (HALF - np.abs(place) + 0.1) ** 2 / HALF
        along = (walls * heading).sum(axis=1)
        across = heading[:, 0] * walls[:, 1] - heading[:, 1] * walls[:, 0]
        angle = np.arctan2(flee[:, 1] + across, flee[:, 0] + along)
        return np.stack([np.cos(angle), np.clip(2.0 * angle, -1.0, 1.0)], axis=1)


def make(worlds: int = 1, seed: int = 0, scripted: float = 0.0) -> Environment:
    """Makes the task; an episode takes at most 20 s."""
    simulator = open_simulator(GazeboXMLLoader().load_world(WORLD), worlds)
    world = World(simulator, seed=seed, steps_per_tick=10)
    steps = int(RATE * SECONDS)
    return Environment(Court(world, scripted), frame_skip=10, max_episode_steps=steps, seed=seed)


TASK = Task(
    name="tag",
    make=make,
    policies={"scripted": Scripted()},
    film=CameraView(Pose((0.0, -4.6, 4.8), Euler(0.0, 0.82, np.pi / 2)), 1.1, 960, 540),
    map_view=CameraView.from_above(0.0, 0.0, 6.4, size=(600, 450)),
    training={
        "make": {"scripted": 0.5},
        "steps": 4_200_000,
        "worlds": 64,
        "rollout": 32,
        "minibatch": 512,
        "epochs": 5,
        "learning_rate": 7e-4,
        "decay": True,
        "gamma": 0.98,
        "log_std": -0.5,
        "hidden": (128, 64),
        "policies": {"chasers": list(CHASERS), "runners": list(RUNNERS)},
    },
)
