# SPDX-License-Identifier: Apache-2.0
"""A robot with a lidar crosses rooms that a scenario furnishes, each time another one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from deepsim_envs import Agents, Area, Environment
from deepsim_math import Euler, Pose, quaternions
from deepsim_robots import Robot
from deepsim_scenes import Scenario, Scene, load_scenario, place_scenes, read_models, spawn_scenes
from deepsim_spawn import GazeboXMLLoader, open_simulator
from deepsim_sync import CameraView, World
from deepsim_train import Task

FOLDER = Path(__file__).parent
RATE = 10  # steps of the policy in a second
SECTORS = 36  # of the lidar, each as far as its nearest ray
NEAR = 0.3  # of the goal: there [m]
TOUCH = 0.19  # from the middle of the robot to what it touches [m]
MAST = 0.03  # of the lidar behind the middle [m]
ROBOT, GOAL = 0, 1  # the places of the mission, in the order of the scenario

Floats = NDArray[np.float64]
Scenes = Callable[[NDArray[np.intp]], Sequence[Scene]]  # of worlds that begin an episode


class Room(Area):
    """The robot earns the metres by which it gets closer; it ends at the goal or by a touch."""

    agents = Agents(
        ["robot"],
        observation_space=Box(-10.0, 10.0, (SECTORS + 5,)),
        action_space=Box(-1.0, 1.0, (2,)),  # forward speed and turn rate, of the largest
    )

    def __init__(self, world: World, scenario: Scenario, scenes: Scenes | None = None) -> None:
        super().__init__(world)
        self.scenario, self.scenes = scenario, scenes
        first = scenario.sample() if scenes is None else scenes(np.arange(len(world)))
        spawn_scenes(world, first)
        self.goal = world.models.select(["goal"])
        self.robot = Robot.load(world, "diffbot", "robot")
        self.lidar = world.sensors["robot::lidar::scan"]
        self.distance = np.zeros(len(world))
        self.progress = np.zeros(len(world))

    def reset(self, worlds: NDArray[np.intp]) -> None:
        """Draws a room for each world, or takes the given ones."""
        scenes = self.draw(worlds) if self.scenes is None else self.scenes(worlds)
        place_scenes(self.world, scenes, worlds)
        goal, robot = self.goal.pose[worlds], self.robot.model.pose[worlds]
        for row, scene in enumerate(scenes):
            goal[row, 0, :2] = scene.missions[GOAL].position[:2]
            robot[row, 0, :2] = scene.missions[ROBOT].position[:2]
            turn = [0.0, 0.0, scene.missions[ROBOT].forward_yaw]
            robot[row, 0, 3:] = quaternions.from_euler(np.array(turn))
        self.goal.put(worlds, pose=goal)
        self.robot.model.put(worlds, pose=robot)
        self.distance[worlds] = self.to_goal()[worlds, 0]

    def draw(self, worlds: NDArray[np.intp]) -> Sequence[Scene]:
        """Returns a random room for each world."""
        numbers = [int(self.world.rngs[world].integers(2**31)) for world in worlds]
        return [self.scenario.sample(seed=0, number=number) for number in numbers]

    def act(self, actions: NDArray[np.float32]) -> None:
        """Drives until the next step."""
        self.robot.set_action(actions[:, 0])

    def update(self) -> None:
        """Measures how much closer the robot came."""
        distance = self.to_goal()[:, 0]
        self.progress = self.distance - distance
        self.distance = distance

    def to_goal(self) -> Floats:
        """Returns distance of the goal [m], cosine and sine of its direction; (W, 3)."""
        pose = self.robot.model.pose[:, 0]
        seen = quaternions.inverse_rotate(pose[:, 3:], self.goal.pose[:, 0, :3] - pose[:, :3])
        distance = np.sqrt(seen[:, 0] ** 2 + seen[:, 1] ** 2)
        return np.stack([distance, seen[:, 0] / distance, seen[:, 1] / distance], axis=1)

    def observe(self) -> Floats:
        """Returns nearness in the sectors, which begin behind, goal and motion; (W, 1, 41)."""
        ranges = self.lidar.ranges.reshape(len(self.world), SECTORS, -1).min(axis=2)
        pose, twist = self.robot.model.pose[:, 0], self.robot.model.twist[:, 0]
        speed = quaternions.inverse_rotate(pose[:, 3:], twist[:, :3])[:, :1]
        return np.concatenate([NEAR / ranges, self.to_goal(), speed, twist[:, 5:]], axis=1)[:, None]

    def touches(self) -> NDArray[np.bool_]:
        """Returns whether something is as near as the robot is wide, (W,)."""
        return self.lidar.ranges.min(axis=(1, 2)) < TOUCH - MAST

    def reward(self) -> Floats:
        """Returns metres of progress, more at the goal, less for a touch; (W, 1)."""
        there = self.distance < NEAR
        return (self.progress - 0.01 + 2.0 * there - 5.0 * self.touches())[:, None]

    def terminated(self) -> NDArray[np.bool_]:
        """Returns whether it arrived or touched something."""
        return ((self.distance < NEAR) | self.touches())[:, None]

    def info(self) -> dict[str, Any]:
        """Returns whether it is at the goal without a touch."""
        touched = self.touches()
        return {"robot": {"success": (self.distance < NEAR) & ~touched, "touched": touched}}


def make(worlds: int = 1, seed: int = 0, scenes: Scenes | None = None) -> Environment:
    """Makes the task; the robot has 40 s.

    Args:
        worlds: The number of worlds.
        seed: Seed of the worlds.
        scenes: Gives the rooms of worlds that are reset; by default they are drawn.
    """
    models = read_models(FOLDER / "models.yaml")
    scenario = load_scenario(FOLDER / "room.scenic", models)
    simulator = open_simulator(GazeboXMLLoader().load_world(FOLDER / "room.world"), worlds)
    world = World(simulator, seed=seed, steps_per_tick=20)
    return Environment(
        Room(world, scenario, scenes), frame_skip=20, max_episode_steps=40 * RATE, seed=seed
    )


TASK = Task(
    name="clutter",
    make=make,
    film=CameraView(Pose((0.0, -6.2, 7.2), Euler(0.0, 0.88, np.pi / 2)), 1.26, 960, 540),
    map_view=CameraView.from_above(0.0, 0.0, 10.0, size=(600, 450)),
    training={
        "steps": 400_000,
        "worlds": 64,
        "rollout": 64,
        "minibatch": 1024,
        "learning_rate": 1e-3,
        "decay": True,
        "gamma": 0.98,
        "log_std": -0.7,
        "hidden": (128, 64),
    },
)
