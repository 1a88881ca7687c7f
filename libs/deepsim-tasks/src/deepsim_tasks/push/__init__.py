# SPDX-License-Identifier: Apache-2.0
"""An arm pushes a block over a table to a place, with its closed gripper."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from deepsim_envs import Agents, Area, Environment
from deepsim_math import Euler, Pose, quaternions
from deepsim_robots import EndEffectorPose, Part, Robot, find_robot
from deepsim_spawn import GazeboXMLLoader, ModelSpawner, open_simulator
from deepsim_sync import CameraView, World
from deepsim_train import Task

WORLD = """
<sdf version="1.7">
  <world name="table">
    <physics type="ode"><max_step_size>0.005</max_step_size></physics>
    <light name="sun" type="directional"><direction>-0.3 0.5 -0.9</direction></light>
    <model name="table"><static>true</static><link name="link"><pose>0.3 0 -0.02 0 0 0</pose>
      <collision name="top"><geometry><box><size>1.4 1.4 .04</size></box></geometry>
        <surface><friction><ode><mu>.4</mu><mu2>.4</mu2></ode></friction></surface></collision>
      <visual name="top"><geometry><box><size>1.4 1.4 .04</size></box></geometry>
        <material><ambient>.7 .68 .62 1</ambient><diffuse>.7 .68 .62 1</diffuse></material></visual>
    </link></model>
  </world>
</sdf>
"""

BLOCK = """
<sdf version="1.7"><model name="block"><link name="link">
  <inertial><mass>.3</mass>
    <inertia><ixx>.00028</ixx><iyy>.00028</iyy><izz>.00032</izz></inertia></inertial>
  <collision name="box"><geometry><box><size>.08 .08 .07</size></box></geometry>
    <surface><friction><ode><mu>.4</mu><mu2>.4</mu2></ode></friction></surface></collision>
  <visual name="box"><geometry><box><size>.08 .08 .07</size></box></geometry>
    <material><ambient>.2 .4 .9 1</ambient><diffuse>.2 .4 .9 1</diffuse></material></visual>
</link></model></sdf>
"""

GOAL = """
<sdf version="1.7"><model name="goal"><static>true</static><link name="link">
  <visual name="disc">
    <geometry><cylinder><radius>.05</radius><length>.002</length></cylinder></geometry>
    <material><ambient>0 .7 .3 1</ambient><diffuse>0 .7 .3 1</diffuse></material></visual>
</link></model></sdf>
"""

RATE = 20  # steps of the policy in a second
STEP = 0.025  # largest way of the tool in a step, along each axis [m]
START = np.array([0.28, 0.0])  # of the tool [m]
HOME = {"joint_2": 0.5116, "joint_3": 2.3413, "joint_5": 0.2887, ".*_finger_joint": 0.0}  # at START
HEIGHT = 0.04  # of the tool [m]
DOWN = (0.0, np.pi, 0.0)  # of the tool's z axis, as a rotation vector
LOWER, UPPER = np.array([0.25, -0.28]), np.array([0.64, 0.28])  # of the tool [m]
BEHIND = 0.07  # of the block's middle: where the tool pushes [m]
NEAR = 0.03  # of the goal: there [m]

Floats = NDArray[np.float64]


class Table(Area):
    """The arm earns the more, the nearer the block is to the goal."""

    agents = Agents(
        ["arm"],
        # Tool, its lead, block from the tool, goal from the block (2 each), turn of the block (2).
        observation_space=Box(-2.0, 2.0, (10,)),
        action_space=Box(-1.0, 1.0, (2,)),  # way of the tool along x and y
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        move = EndEffectorPose(link="tool", normalized=False)
        config = find_robot("arm").load()
        parts = {"arm": Part(["joint_.*"], move)}
        config = replace(config, parts=parts, home=HOME, balance="gravity")
        self.robot = Robot(world, config, "arm")
        self.tool = self.robot.link("tool")
        ModelSpawner(BLOCK).spawn(world, "block", Pose((0.45, 0.0, 0.035)))
        ModelSpawner(GOAL).spawn(world, "goal", Pose((0.55, 0.0, 0.001)))
        self.block, self.goal = world.models.select(["block"]), world.models.select(["goal"])
        self.target = np.zeros((len(world), 2))  # of the tool [m]

    def reset(self, worlds: NDArray[np.intp]) -> None:
        """Puts the block before the tool, turned at random, and the goal in any direction of it."""
        self.target[worlds] = START
        block, goal = self.block.pose[worlds], self.goal.pose[worlds]
        block[:, 0, :2] = self.world.uniform((0.4, -0.1), (0.5, 0.1), 2, worlds)
        turn = self.world.uniform(-np.pi, np.pi, 1, worlds)
        block[..., 3:] = quaternions.from_axis_angle([0.0, 0.0, 1.0], turn)
        angle = self.world.uniform(-np.pi, np.pi, 1, worlds)
        distance = self.world.uniform(0.08, 0.18, 1, worlds)
        way = distance * np.concatenate([np.cos(angle), np.sin(angle)], axis=1)
        goal[:, 0, :2] = block[:, 0, :2] + way
        self.block.put(worlds, pose=block)
        self.goal.put(worlds, pose=goal)

    def act(self, actions: NDArray[np.float32]) -> None:
        """Moves the target of the tool over the table."""
        self.target = np.clip(self.target + STEP * actions[:, 0], LOWER, UPPER)
        rest = np.broadcast_to((HEIGHT, *DOWN), (len(self.world), 4))
        self.robot.set_action(np.concatenate([self.target, rest], axis=1))

    def ways(self) -> tuple[Floats, Floats, Floats]:
        """Returns the place of the tool, and the ways to the block and from there to the goal."""
        tool, block, goal = (rows.pose[:, 0, :2] for rows in (self.tool, self.block, self.goal))
        return tool, block - tool, goal - block

    def observe(self) -> Floats:
        """Returns the observations, (W, 1, 10)."""
        tool, to_block, to_goal = self.ways()
        x, y, z, w = self.block.pose[:, 0, 3:].T
        turn = 4.0 * np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        sides = np.stack([np.cos(turn), np.sin(turn)], axis=1)  # the four sides look alike
        return np.concatenate([tool, self.target - tool, to_block, to_goal, sides], axis=1)[:, None]

    def reward(self) -> Floats:
        """Returns 0 at best: less for a block off the goal, and for a tool not behind it."""
        _, to_block, to_goal = self.ways()
        distance = length(to_goal)
        behind = to_block - BEHIND * to_goal / np.maximum(distance, 0.02)[:, None]
        near = np.exp(-distance / 0.03)
        return (near - 1.0 - 2.0 * distance - 0.5 * length(behind))[:, None]

    def info(self) -> dict[str, Any]:
        """Returns whether the block is at the goal, and how far it is off."""
        distance = length(self.ways()[2])
        return {"arm": {"success": distance < NEAR, "distance": distance}}


def length(ways: Floats) -> Floats:
    """Returns the lengths of ways, (W,)."""
    x, y = ways.T
    return np.sqrt(x * x + y * y)


def make(worlds: int = 1, seed: int = 0) -> Environment:
    """Makes the task; an episode takes 4 s."""
    simulator = open_simulator(GazeboXMLLoader().load_world(WORLD), worlds)
    world = World(simulator, seed=seed, steps_per_tick=10)
    return Environment(Table(world), frame_skip=10, max_episode_steps=4 * RATE, seed=seed)


TASK = Task(
    name="push",
    make=make,
    film=CameraView(Pose((1.3, -0.9, 0.85), Euler(0.0, 0.42, 2.36)), 1.08, 960, 540),
    map_view=CameraView.from_above(0.45, 0.0, 0.9, size=(400, 400)),
    training={
        "steps": 1_000_000,
        "worlds": 64,
        "rollout": 80,
        "minibatch": 1024,
        "learning_rate": 1e-3,
        "decay": True,
        "gamma": 0.97,
        "log_std": -0.5,
        "hidden": (128, 128),
    },
)
