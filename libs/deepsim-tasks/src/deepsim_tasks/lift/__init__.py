# SPDX-License-Identifier: Apache-2.0
"""An arm picks up a cube and holds it at a goal in the air."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Space
from numpy.typing import NDArray

from deepsim_envs import Agents, Area, ArrayPolicy, Environment
from deepsim_math import Euler, Pose, quaternions
from deepsim_robots import EndEffectorPose, MountedSensor, Part, Robot, find_robot
from deepsim_spawn import (
    CameraDescription,
    GazeboXMLLoader,
    ModelSpawner,
    SensorDescription,
    open_simulator,
)
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
CUBE = """
<sdf version="1.7"><model name="cube"><link name="link">
  <inertial auto="true"><mass>.08</mass></inertial>
  <collision name="c"><geometry><box><size>.04 .04 .04</size></box></geometry></collision>
  <visual name="v"><geometry><box><size>.04 .04 .04</size></box></geometry>
    <material><ambient>.8 .2 .15 1</ambient><diffuse>.8 .2 .15 1</diffuse></material></visual>
</link></model></sdf>
"""
GOAL = """
<sdf version="1.7"><model name="goal"><static>true</static><link name="link">
  <visual name="v"><transparency>.5</transparency>
    <geometry><sphere><radius>.025</radius></sphere></geometry>
    <material><ambient>.1 .7 .3 1</ambient><diffuse>.1 .7 .3 1</diffuse></material></visual>
</link></model></sdf>
"""

RATE = 20  # steps of the policy in a second
SECONDS = 5.0
STEP = 0.03  # largest way of the tool in a step, along each axis [m]
LEAD = 0.03  # of the tool's target before the tool, at most, along each axis [m]
LOWEST = 0.015  # height of the tool's target [m]
DOWN = np.array([0.0, np.pi, 0.0])  # rotation vector of the tool [rad]
SIZE = 0.04  # of the cube [m]
NEAR = 0.025  # of the goal: there [m]
OPEN = 0.04  # of each finger [m]
EYE = SensorDescription(  # beside the fingers, which it sees, and along them
    "eye", pose=Pose((-0.07, 0.0, 0.0), Euler(0.0, -1.37, 0.0)),
    camera=CameraDescription(horizontal_fov=1.3, width=64, height=64),
)  # fmt: skip

# Of the tool place and velocity (6), its way to the cube (3), of the cube turn and velocity (6),
# its way to the goal (3), of a finger place and target (2).
STATE = Box(-10.0, 10.0, (20,))
OWN = [0, 1, 2, 3, 4, 5, 18, 19]  # what the arm knows of the state without a look at the cube
PIXELS = Dict(
    {
        "picture": Box(0, 255, (64, 64, 3), np.uint8),
        "own": Box(-10.0, 10.0, (len(OWN) + 3,)),  # and the way from the tool to the goal
        "state": STATE,
    }
)

Floats = NDArray[np.float64]


class Bench(Area):
    """The arm earns for a tool near the cube, for a grasp, and for a cube near the goal.

    Args:
        world: The world.
        pixels: Whether policies see the cube in pictures of a camera on the hand; the state is then
            for scripts and value functions.
    """

    reward_terms = ("reach", "grasp", "place", "effort")

    def __init__(self, world: World, pixels: bool) -> None:
        super().__init__(world)
        drive = Box(-1.0, 1.0, (4,))  # the tool's way along each axis, and the gripper
        seen, privileged = (PIXELS, ["state"]) if pixels else (STATE, [])
        self.agents = Agents(["arm"], seen, drive, privileged=privileged)
        config = find_robot("arm").load()
        move = EndEffectorPose(link="tool", frame="world", normalized=False)
        parts = {"arm": Part(["joint_.*"], move), "gripper": config.parts["gripper"]}
        eyes = (MountedSensor("hand", EYE),) if pixels else ()
        config = replace(config, parts=parts, sensors=eyes, balance="gravity")
        self.robot = Robot(world, config, "arm")
        self.fingers = self.robot.parts["gripper"].joints.rows
        self.tool = self.robot.link("tool")
        ModelSpawner(CUBE).spawn(world, "cube", Pose((0.5, 0.0, SIZE / 2.0)))
        ModelSpawner(GOAL).spawn(world, "goal", Pose((0.5, 0.0, 0.3)))
        self.cube, self.goal = (world.models.select([name]) for name in ("cube", "goal"))
        self.eye = world.sensors["arm::hand::eye"] if pixels else None
        self.target = np.zeros((len(world), 3))  # of the tool
        self.effort = np.zeros(len(world))  # square of the latest action of the tool

    def reset(self, worlds: NDArray[np.intp]) -> None:
        """Puts the cube on the bench and the goal above it."""
        drawn = self.world.uniform(-1.0, 1.0, 6, worlds)
        cube, goal = self.cube.pose[worlds], self.goal.pose[worlds]
        cube[:, 0, :2] = [0.45, 0.0] + [0.1, 0.2] * drawn[:, :2]
        cube[:, 0, 3:] = quaternions.from_axis_angle([0.0, 0.0, 1.0], np.pi * drawn[:, 2])
        goal[:, 0, :3] = [0.45, 0.0, 0.27] + [0.1, 0.2, 0.1] * drawn[:, 3:]
        self.cube.put(worlds, pose=cube)
        self.goal.put(worlds, pose=goal)
        self.world.flush()  # the links follow the joints home
        self.target[worlds] = self.tool.pose[worlds, 0, :3]

    def act(self, actions: NDArray[np.float32]) -> None:
        """Moves the tool, which stays upright, and opens the gripper at 1, closes it at -1."""
        place = self.tool.pose[:, 0, :3]
        target = self.target + STEP * actions[:, 0, :3]
        self.target = np.clip(target, place - LEAD, place + LEAD)
        self.target[:, 2] = np.maximum(self.target[:, 2], LOWEST)
        self.effort = np.square(actions[:, 0, :3], dtype=np.float64).sum(axis=1)
        down = np.broadcast_to(DOWN, self.target.shape)
        self.robot.set_action(np.concatenate([self.target, down, actions[:, 0, 3:]], axis=1))

    def ways(self) -> tuple[Floats, Floats]:
        """Returns the ways from the tool to the cube and from the cube to the goal, (W, 3) [m]."""
        cube = self.cube.pose[:, 0, :3]
        return cube - self.tool.pose[:, 0, :3], self.goal.pose[:, 0, :3] - cube

    def grasped(self) -> NDArray[np.bool_]:
        """Returns whether the fingers are stopped by the cube between them, (W,)."""
        to_cube, _ = self.ways()
        width = self.fingers.position.sum(axis=1)
        closing = self.fingers.target_position[:, 0] < 0.4 * SIZE
        held = (width > 0.8 * SIZE) & (width < 1.5 * SIZE)
        return closing & held & ((to_cube * to_cube).sum(axis=1) < 0.02**2)

    def observe(self) -> Any:
        """Returns the state, (W, 1, 20), or a dict with pictures, (W, 1, 64, 64, 3)."""
        tool, cube = self.tool, self.cube
        to_cube, to_goal = self.ways()
        turn = quaternions.rotate(cube.pose[:, 0, 3:], [1.0, 0.0, 0.0])
        columns = [
            tool.pose[:, 0, :3],
            tool.twist[:, 0, :3],
            10.0 * to_cube,
            turn,
            cube.twist[:, 0, :3],
            5.0 * to_goal,
            self.fingers.position[:, :1] / OPEN,
            self.fingers.target_position[:, :1] / OPEN,
        ]
        state = np.concatenate(columns, axis=1)[:, None]
        if self.eye is None:
            return state
        way = 5.0 * (to_cube + to_goal)[:, None]
        own = np.concatenate([state[..., OWN], way], axis=-1)
        return {"picture": self.eye.rgb[:, None], "own": own, "state": state}

    def reward(self) -> dict[str, Floats]:
        """Returns at most 0.2, 0.2 and 1.6 for reach, grasp and place, less effort; (W, 1) each."""
        to_cube, to_goal = (np.sqrt((way * way).sum(axis=1)) for way in self.ways())
        grasped = self.grasped()
        lifted = grasped & (self.cube.pose[:, 0, 2] > 0.6 * SIZE)
        place = grasped * (1.0 - np.tanh(3.0 * to_goal)) + 0.6 * (lifted & (to_goal < NEAR))
        values = 0.2 * (1.0 - np.tanh(5.0 * to_cube)), 0.2 * grasped, place, -0.03 * self.effort
        return {name: term[:, None] for name, term in zip(self.reward_terms, values, strict=True)}

    def info(self) -> dict[str, Any]:
        """Returns whether the arm holds the cube at the goal, and how far it is off."""
        _, to_goal = self.ways()
        distance = np.sqrt((to_goal * to_goal).sum(axis=1))
        success = self.grasped() & (distance < NEAR)
        return {"arm": {"success": success, "grasped": self.grasped(), "distance": distance}}


class Pick(ArrayPolicy):
    """Moves above the cube, down, closes the gripper and brings the cube to the goal.

    Args:
        shake: Standard deviation of noise on the ways, which makes demonstrations go astray and
            come back, so that a clone learns to.
    """

    def __init__(self, shake: float = 0.0) -> None:
        self.shake = shake

    def act(
        self,
        agent: str,
        observations: Any,
        action_space: Space[Any],
        rngs: Sequence[np.random.Generator],
    ) -> Any:
        """Returns ways of the tool and of the gripper, (N, 4)."""
        state = observations["state"] if isinstance(observations, dict) else observations
        seen = np.asarray(state, dtype=np.float64)
        to_cube, to_goal = seen[:, 6:9] / 10.0, seen[:, 15:18] / 5.0
        finger, target = seen[:, 18] * OPEN, seen[:, 19] * OPEN
        aside = np.sqrt((to_cube[:, :2] ** 2).sum(axis=1))
        around = (aside < 0.012) & (np.abs(to_cube[:, 2]) < 0.012)
        holds = around & (target < 0.4 * SIZE) & (finger < 0.75 * SIZE)
        above = to_cube + np.array([0.0, 0.0, 0.08])
        way = np.where((aside < 0.02)[:, None], to_cube, above)
        way = np.where(around[:, None], 0.0, way)
        way = np.where(holds[:, None], to_goal, way)
        grip = np.where(around, -1.0, 1.0)
        noise = np.array([rng.normal(0.0, self.shake, 3) for rng in rngs]) if self.shake else 0.0
        ways = np.clip(np.clip(way / STEP, -1.0, 1.0) + noise, -1.0, 1.0)
        return np.concatenate([ways, grip[:, None]], axis=1)


def make(worlds: int = 1, seed: int = 0, pixels: bool = False) -> Environment:
    """Makes the task, from state or from pixels; an episode takes 5 s."""
    simulator = open_simulator(GazeboXMLLoader().load_world(WORLD), worlds)
    world = World(simulator, seed=seed, steps_per_tick=10)
    steps = int(RATE * SECONDS)
    return Environment(Bench(world, pixels), frame_skip=10, max_episode_steps=steps, seed=seed)


TASK = Task(
    name="lift",
    make=make,
    policies={"pick": Pick(), "shaky": Pick(0.2)},
    film=CameraView(Pose((1.2, -0.8, 0.55), Euler(0.0, 0.22, 2.35)), 1.0, 960, 540),
    training={
        "steps": 800_000,
        "worlds": 64,
        "rollout": 32,
        "minibatch": 512,
        "epochs": 5,
        "learning_rate": 7e-4,
        "decay": True,
        "gamma": 0.97,
        "log_std": -0.7,
        "hidden": (128, 64),
    },
)
