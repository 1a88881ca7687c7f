# SPDX-License-Identifier: Apache-2.0
"""A robot on two wheels drives to a goal among posts that its lidar sees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Space
from numpy.typing import NDArray

from deepsim_envs import Agents, Area, ArrayPolicy, Environment
from deepsim_math import Euler, Pose, quaternions
from deepsim_robots import Robot
from deepsim_spawn import GazeboXMLLoader, ModelSpawner, open_simulator
from deepsim_sync import CameraView, World
from deepsim_train import Task

WORLD = """
<sdf version="1.7">
  <world name="yard">
    <physics type="ode"><max_step_size>0.005</max_step_size></physics>
    <light name="sun" type="directional"><direction>-0.3 0.5 -0.9</direction></light>
    <model name="ground"><static>true</static><link name="link">
      <collision name="plane"><geometry><plane/></geometry></collision>
      <visual name="plane"><geometry><plane><size>12 9</size></plane></geometry>
        <material><ambient>.7 .68 .62 1</ambient><diffuse>.7 .68 .62 1</diffuse></material></visual>
    </link></model>
  </world>
</sdf>
"""

CYLINDER = "<geometry><cylinder><radius>0.3</radius><length>{}</length></cylinder></geometry>"
POST = f"""
<sdf version="1.7"><model name="post"><static>true</static><link name="link">
  <collision name="c">{CYLINDER.format(0.6)}</collision>
  <visual name="v">{CYLINDER.format(0.6)}
    <material><ambient>.2 .35 .5 1</ambient><diffuse>.2 .35 .5 1</diffuse></material></visual>
</link></model></sdf>
"""
GOAL = f"""
<sdf version="1.7"><model name="goal"><static>true</static><link name="link">
  <visual name="v">{CYLINDER.format(0.01)}
    <material><ambient>.9 .5 .1 1</ambient><diffuse>.9 .5 .1 1</diffuse></material></visual>
</link></model></sdf>
"""

RATE = 10  # steps of the policy in a second
ROW = np.arange(-3.6, 3.0, 1.6)
GRID = np.array([(-1.4, y) for y in ROW] + [(0.8, y + 0.8) for y in ROW])  # of the posts [m]
POSTS = len(GRID)
TOUCH = 0.3 + 0.17  # between the middles of a post and of the robot [m]
NEAR = 0.3  # of the goal: there [m]
START, END = -4.0, 4.0  # along x [m]
SECTORS = 24  # of the lidar, each as far as its nearest ray

Floats = NDArray[np.float64]
Scenes = Callable[[NDArray[np.intp]], Sequence[Any]]  # of worlds that begin an episode


class Yard(Area):
    """The robot earns the metres by which it gets closer; it ends at the goal or at a post."""

    agents = Agents(
        ["robot"],
        observation_space=Box(-10.0, 10.0, (SECTORS + 5,)),
        action_space=Box(-1.0, 1.0, (2,)),  # forward speed and turn rate, of the largest
    )
    reward_terms = MappingProxyType({"progress": 1.0, "time": -0.01, "goal": 2.0, "touch": -5.0})

    def __init__(self, world: World, scenes: Scenes | None = None) -> None:
        super().__init__(world)
        self.scenes = scenes
        posts = [f"post_{number}" for number in range(POSTS)]
        for number, name in enumerate(posts):
            ModelSpawner(POST).spawn(world, name, Pose((0.0, 2.0 * number, 0.3)))
        ModelSpawner(GOAL).spawn(world, "goal", Pose((END, 0.0, 0.005)))
        self.posts = world.models.select(posts)
        self.goal = world.models.select(["goal"])
        self.robot = Robot.load(world, "diffbot", "robot")
        self.lidar = world.sensors["robot::lidar::scan"]
        self.distance = np.zeros(len(world))
        self.progress = np.zeros(len(world))

    def reset(self, worlds: NDArray[np.intp]) -> None:
        """Puts the posts in a grid, each moved at random, and robot and goal at two sides of it.

        Given scenes say themselves where posts, goal and robot are.
        """
        posts, goal, robot = (
            rows.pose[worlds] for rows in (self.posts, self.goal, self.robot.model)
        )
        if self.scenes is not None:
            for row, scene in enumerate(self.scenes(worlds)):
                posts[row, :, :2] = [each.position[:2] for each in scene.of("post")]
                goal[row, :, :2] = [each.position[:2] for each in scene.of("goal")]
                robot[row, :, :2] = [each.position[:2] for each in scene.of("robot")]
                turn = [[0.0, 0.0, each.forward_yaw] for each in scene.of("robot")]
                robot[row, :, 3:] = quaternions.from_euler(np.array(turn))
        else:
            self.draw(worlds, posts, goal, robot)
        self.posts.put(worlds, pose=posts)
        self.goal.put(worlds, pose=goal)
        self.robot.model.put(worlds, pose=robot)
        self.distance[worlds] = self.to_goal()[worlds, 0]

    def draw(self, worlds: NDArray[np.intp], posts: Floats, goal: Floats, robot: Floats) -> None:
        """Draws the places of posts, goal and robot, into their poses (w, n, 7)."""
        posts[..., :2] = GRID + self.world.uniform(-0.4, 0.4, (POSTS, 2), worlds)
        goal[..., 1] = self.world.uniform(-2.0, 2.0, 1, worlds)
        robot[..., 0] = START
        robot[..., 1] = self.world.uniform(-2.0, 2.0, 1, worlds)
        turn = self.world.uniform(-1.0, 1.0, 1, worlds)
        robot[..., 3:] = quaternions.from_axis_angle([0.0, 0.0, 1.0], turn)

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
        """Returns nearness in the sectors, which begin behind, goal and motion; (W, 1, 29)."""
        ranges = self.lidar.ranges.reshape(len(self.world), SECTORS, -1).min(axis=2)
        pose, twist = self.robot.model.pose[:, 0], self.robot.model.twist[:, 0]
        speed = quaternions.inverse_rotate(pose[:, 3:], twist[:, :3])[:, :1]
        return np.concatenate([NEAR / ranges, self.to_goal(), speed, twist[:, 5:]], axis=1)[:, None]

    def touches(self) -> NDArray[np.bool_]:
        """Returns whether the robot touches a post, (W,)."""
        away = self.posts.pose[..., :2] - self.robot.model.pose[..., :2]
        return np.any(away[..., 0] ** 2 + away[..., 1] ** 2 < TOUCH**2, axis=1)

    def reward(self) -> dict[str, NDArray[Any]]:
        """Returns metres of progress, 1, and whether it is at the goal or a post; (W, 1) each."""
        return {
            "progress": self.progress[:, None],
            "time": np.ones((len(self.world), 1)),
            "goal": self.distance[:, None] < NEAR,
            "touch": self.touches()[:, None],
        }

    def terminated(self) -> NDArray[np.bool_]:
        """Returns whether it arrived or touched a post."""
        return ((self.distance < NEAR) | self.touches())[:, None]

    def info(self) -> dict[str, Any]:
        """Returns whether it is at the goal without a touch."""
        touched = self.touches()
        return {"robot": {"success": (self.distance < NEAR) & ~touched, "touched": touched}}


class FollowGap(ArrayPolicy):
    """Drives to the free sector nearest to the direction of the goal."""

    def act(
        self,
        agent: str,
        observations: Any,
        action_space: Space[Any],
        rngs: Sequence[np.random.Generator],
    ) -> Any:
        """Returns speed and turn rate for each observation."""
        seen = np.asarray(observations, dtype=np.float64)
        ranges = NEAR / np.maximum(seen[:, :SECTORS], 0.01)
        distance = seen[:, SECTORS]
        width = 2.0 * np.pi / SECTORS
        angles = -np.pi + width * (np.arange(SECTORS) + 0.5)
        nearest = np.minimum(np.minimum(np.roll(ranges, 1, 1), np.roll(ranges, -1, 1)), ranges)
        goal = np.arctan2(seen[:, SECTORS + 2], seen[:, SECTORS + 1])
        off = np.abs((angles - goal[:, None] + np.pi) % (2.0 * np.pi) - np.pi)
        blocked = nearest < np.minimum(1.2, distance[:, None])
        chosen = angles[np.argmin(off + 10.0 * blocked, axis=1)]
        ahead = ranges[:, SECTORS // 2 - 2 : SECTORS // 2 + 2].min(axis=1)
        speed = np.clip(np.cos(chosen), 0.0, 1.0) * np.clip(2.0 * (ahead - 0.3), 0.0, 1.0)
        return np.stack([speed, np.clip(chosen, -1.0, 1.0)], axis=1)


def make(worlds: int = 1, seed: int = 0, scenes: Scenes | None = None) -> Environment:
    """Makes the task; the robot has 30 s.

    Args:
        worlds: The number of worlds.
        seed: Seed of the worlds.
        scenes: Gives scenes of deepsim-scenes for worlds that are reset, as `yard.scenic` draws
            them; by default the yard is drawn.
    """
    simulator = open_simulator(GazeboXMLLoader().load_world(WORLD), worlds)
    world = World(simulator, seed=seed, steps_per_tick=20)
    return Environment(Yard(world, scenes), frame_skip=20, max_episode_steps=30 * RATE, seed=seed)


TASK = Task(
    name="navigate",
    make=make,
    policies={"follow_gap": FollowGap()},
    film=CameraView(Pose((0.0, -6.0, 6.5), Euler(0.0, 0.85, np.pi / 2)), 1.26, 960, 540),
    map_view=CameraView.from_above(0.0, 0.0, 9.0, size=(600, 450)),
    training={
        "steps": 1_000_000,
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
