# SPDX-License-Identifier: Apache-2.0
"""An arm brings its gripper to a pose: to a place, turned as asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from deepsim_envs import Agents, Area, Environment
from deepsim_math import Euler, Pose, quaternions
from deepsim_robots import JointDeltaPosition, Part, Robot, find_robot
from deepsim_spawn import GazeboXMLLoader, ModelSpawner, open_simulator
from deepsim_sync import CameraView, World
from deepsim_train import Task

WORLD = """
<sdf version="1.7">
  <world name="bench">
    <physics type="ode"><max_step_size>0.005</max_step_size></physics>
    <light name="sun" type="directional"><direction>-0.3 0.5 -0.9</direction></light>
    <model name="ground"><static>true</static><link name="link">
      <collision name="plane"><geometry><plane/></geometry></collision>
      <visual name="plane"><geometry><plane><size>3 3</size></plane></geometry>
        <material><ambient>.7 .68 .62 1</ambient><diffuse>.7 .68 .62 1</diffuse></material></visual>
    </link></model>
  </world>
</sdf>
"""

GREEN = "<material><ambient>0 .7 .3 1</ambient><diffuse>0 .7 .3 1</diffuse></material>"
GOAL = f"""
<sdf version="1.7"><model name="goal"><static>true</static><link name="link">
  <visual name="palm"><pose>0 0 -0.08 0 0 0</pose>
    <geometry><box><size>.03 .14 .015</size></box></geometry>{GREEN}</visual>
  <visual name="left"><pose>0 .06 -0.03 0 0 0</pose>
    <geometry><box><size>.03 .015 .1</size></box></geometry>{GREEN}</visual>
  <visual name="right"><pose>0 -.06 -0.03 0 0 0</pose>
    <geometry><box><size>.03 .015 .1</size></box></geometry>{GREEN}</visual>
</link></model></sdf>
"""  # a fork where the fingers should be

RATE = 20  # steps of the policy in a second
STEP = 0.12  # largest change of a joint's target in a step [rad]
AROUND_HOME = np.array([1.2, 0.5, 0.5, 0.6, 0.5, 1.0])  # of the joints at a goal [rad]
NEAR, ALIGNED = 0.02, 0.15  # of the goal: reached [m, rad]

Floats = NDArray[np.float64]


class Bench(Area):
    """The arm earns the more, the nearer its tool is to the goal."""

    agents = Agents(
        ["arm"],
        # Joints and their rates (12), how far their targets lead (6), way and turn to the goal (6).
        observation_space=Box(-20.0, 20.0, (24,)),
        action_space=Box(-1.0, 1.0, (6,)),
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        move = JointDeltaPosition(lower=-STEP, upper=STEP, of="target")
        config = find_robot("arm").load()
        config = replace(config, parts={"arm": Part(["joint_.*"], move)}, balance="gravity")
        self.robot = Robot(world, config, "arm")
        self.joints = self.robot.parts["arm"].joints
        self.tool = self.robot.link("tool")
        ModelSpawner(GOAL).spawn(world, "goal", Pose((0.5, 0.0, 0.3)))
        self.goal = world.models.select(["goal"])
        self.way = np.zeros((len(world), 6))

    def reset(self, worlds: NDArray[np.intp]) -> None:
        """Puts the goal where the tool is at joints that are drawn around home."""
        home = self.joints.traits.home
        around = AROUND_HOME * self.world.uniform(-1.0, 1.0, 6, worlds)
        self.joints.put(worlds, position=home + around)
        self.world.flush()  # the tool is where the joints are
        self.goal.put(worlds, pose=self.tool.pose[worlds])
        self.joints.put(worlds, position=home)
        self.world.flush()
        self.way[worlds] = self.to_goal()[worlds]

    def act(self, actions: NDArray[np.float32]) -> None:
        """Moves the joints' targets."""
        self.robot.set_action(actions[:, 0])

    def update(self) -> None:
        """Measures the way to the goal."""
        self.way = self.to_goal()

    def to_goal(self) -> Floats:
        """Returns the way [m] in the world frame, and the turn as a vector [rad]; (W, 6)."""
        tool, goal = self.tool.pose[:, 0], self.goal.pose[:, 0]
        turn = quaternions.multiply(goal[:, 3:], quaternions.conjugate(tool[:, 3:]))
        return np.concatenate(
            [goal[:, :3] - tool[:, :3], quaternions.to_rotation_vector(turn)], axis=1
        )

    def observe(self) -> Floats:
        """Returns the observations, (W, 1, 24)."""
        rows = self.joints.rows
        lead = rows.target_position - rows.position
        return np.concatenate([rows.position, rows.velocity, lead, self.way], axis=1)[:, None]

    def errors(self) -> tuple[Floats, Floats]:
        """Returns the distance [m] and the angle [rad] to the goal, (W,) each."""
        squares = self.way * self.way
        return np.sqrt(squares[:, :3].sum(axis=1)), np.sqrt(squares[:, 3:].sum(axis=1))

    def reward(self) -> Floats:
        """Returns 0 at the goal, and less away from it; near it the last centimetre counts most."""
        distance, angle = self.errors()
        near = np.exp(-distance / 0.03) + np.exp(-angle / 0.2)
        return (-distance - 0.2 * angle + 0.5 * near - 1.0)[:, None]

    def info(self) -> dict[str, Any]:
        """Returns whether the tool is at the goal, and how far it is off."""
        distance, angle = self.errors()
        success = (distance < NEAR) & (angle < ALIGNED)
        return {"arm": {"success": success, "distance": distance, "angle": angle}}


def make(worlds: int = 1, seed: int = 0) -> Environment:
    """Makes the task; an episode takes 3 s."""
    simulator = open_simulator(GazeboXMLLoader().load_world(WORLD), worlds)
    world = World(simulator, seed=seed, steps_per_tick=10)
    return Environment(Bench(world), frame_skip=10, max_episode_steps=3 * RATE, seed=seed)


TASK = Task(
    name="reach",
    make=make,
    film=CameraView(Pose((1.5, -1.2, 0.9), Euler(0.0, 0.3, 2.45)), 1.26, 960, 540),
    training={
        "steps": 1_000_000,
        "worlds": 64,
        "rollout": 60,
        "minibatch": 960,
        "learning_rate": 1e-3,
        "decay": True,
        "gamma": 0.95,
        "log_std": -0.7,
        "hidden": (128, 128),
    },
)
