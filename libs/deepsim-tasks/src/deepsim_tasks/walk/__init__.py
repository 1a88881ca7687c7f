# SPDX-License-Identifier: Apache-2.0
"""A quadruped walks ahead at half a metre per second.

Its feet follow a trot. The action turns each joint's target away from there, so that a policy
begins with a gait that nearly walks, and learns to keep balance, speed and direction.
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
from deepsim_robots import JointPosition, Part, Robot, find_robot
from deepsim_spawn import GazeboXMLLoader, open_simulator
from deepsim_sync import CameraView, World
from deepsim_train import Task

WORLD = """
<sdf version="1.7">
  <world name="field">
    <physics type="ode"><max_step_size>0.004</max_step_size></physics>
    <light name="sun" type="directional"><direction>-0.3 0.5 -0.9</direction></light>
    <model name="ground"><static>true</static><link name="link">
      <collision name="plane"><geometry><plane/></geometry></collision>
      <visual name="plane"><geometry><plane><size>200 200</size></plane></geometry>
        <material><ambient>.55 .6 .55 1</ambient><diffuse>.55 .6 .55 1</diffuse></material></visual>
    </link></model>
  </world>
</sdf>
"""

RATE = 50  # steps of the policy in a second
SPEED = 0.5  # [m/s]
PERIOD = 0.4  # of the trot: two legs that lie crosswise swing for the first half of it [s]
LIFT = 0.05  # height of a swinging foot [m]
HEIGHT = 0.27  # of the hips over the feet [m]
SEGMENT = 0.2  # length of thigh and calf [m]
TURN = 0.3  # farthest that an action turns a joint from the trot [rad]
FALLEN = 0.18  # height of the trunk [m]

UP, AHEAD = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])

Floats = NDArray[np.float64]


def trot(phase: Floats) -> Floats:
    """Returns the joint positions of a trot on the spot that moves ahead at `SPEED`.

    A foot on the ground goes back at `SPEED`, and swings ahead in the same time.

    Args:
        phase: Of the trot, 0 .. 1; (W,).

    Returns:
        Hip, thigh and calf of the front left, front right, rear left and rear right leg; (W, 12).
    """
    own = (phase[:, None] + np.array([0.0, 0.5, 0.5, 0.0])) % 1.0  # crosswise legs go together
    swings = own < 0.5
    within = np.where(swings, 2.0 * own, 2.0 * own - 1.0)  # 0 .. 1 of swing or stance
    stride = SPEED * PERIOD / 2.0
    x = stride * np.where(swings, -0.5 * np.cos(np.pi * within), 0.5 - within)
    z = -HEIGHT + np.where(swings, LIFT * np.sin(np.pi * within), 0.0)
    calf = -2.0 * np.arccos(np.sqrt(x * x + z * z) / (2.0 * SEGMENT))  # law of cosines
    thigh = np.arctan2(-x, -z) - calf / 2.0
    return np.stack([np.zeros_like(x), thigh, calf], axis=2).reshape(-1, 12)


class Field(Area):
    """The quadruped earns the more, the nearer its velocity is to `SPEED` straight ahead."""

    agents = Agents(
        ["quadruped"],
        # Phase (2); of the trunk upward axis, velocity, turn rate (9), heading, offset (2); of the
        # joints turn away from the trot, rate (24); the latest action (12).
        observation_space=Box(-100.0, 100.0, (49,)),
        action_space=Box(-1.0, 1.0, (12,)),
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        config = find_robot("quadruped").load()
        config = replace(config, parts={"legs": Part([".*"], JointPosition(normalized=False))})
        self.robot = Robot(world, config, "quadruped", Pose((0.0, 0.0, 0.295)))
        self.joints = self.robot.joints.rows
        self.phase = np.zeros(len(world))
        self.steps = np.zeros(len(world))
        self.action = np.zeros((len(world), 12))
        self.haste = np.zeros(len(world))  # square of the action's latest change

    def reset(self, worlds: NDArray[np.intp]) -> None:
        """Begins in the trot at any phase, turned and off the lane a little."""
        self.phase[worlds] = self.world.uniform(0.0, 1.0, 1, worlds)[:, 0]
        self.steps[worlds] = 0.0
        self.action[worlds] = 0.0
        noise = self.world.uniform(-0.05, 0.05, 12, worlds)
        self.joints.put(worlds, position=trot(self.phase[worlds]) + noise)
        pose = self.robot.model.pose[worlds]
        pose[..., 1] = self.world.uniform(-0.1, 0.1, 1, worlds)
        turn = self.world.uniform(-0.2, 0.2, 1, worlds)
        pose[..., 3:] = quaternions.from_axis_angle(UP, turn)
        self.robot.model.put(worlds, pose=pose)

    def act(self, actions: NDArray[np.float32]) -> None:
        """Moves the joints' targets for the next step."""
        change = actions[:, 0] - self.action
        self.haste = (change * change).sum(axis=1)
        self.action = self.action + change
        self.phase = (self.phase + 1.0 / (RATE * PERIOD)) % 1.0
        self.steps = self.steps + 1.0
        self.robot.set_action(trot(self.phase) + TURN * self.action)

    def observe(self) -> Floats:
        """Returns the observations, (W, 1, 49)."""
        pose, twist = self.robot.model.pose[:, 0], self.robot.model.twist[:, 0]
        turn = pose[:, 3:]
        angle = 2.0 * np.pi * self.phase
        columns = [
            np.stack([np.cos(angle), np.sin(angle)], axis=1),
            quaternions.inverse_rotate(turn, UP),
            quaternions.inverse_rotate(turn, twist[:, :3]),
            quaternions.inverse_rotate(turn, twist[:, 3:]),
            quaternions.rotate(turn, AHEAD)[:, 1:2],
            pose[:, 1:2],
            self.joints.position - trot(self.phase),
            0.1 * self.joints.velocity,
            self.action,
        ]
        return np.concatenate(columns, axis=1)[:, None]

    def reward(self) -> Floats:
        """Returns up to 1 for velocity and direction, less for haste; (W, 1)."""
        pose, twist = self.robot.model.pose[:, 0], self.robot.model.twist[:, 0]
        vx, vy, vz, wx, wy, wz = (twist[:, axis] for axis in range(6))
        off = (vx - SPEED) ** 2 + vy * vy + (0.5 * pose[:, 1]) ** 2
        unsteady = vz * vz + 0.05 * (wx * wx + wy * wy) + 0.2 * wz * wz
        reward = np.exp(-off / 0.05) - 0.2 * unsteady - 0.01 * self.haste
        return reward[:, None]

    def terminated(self) -> NDArray[np.bool_]:
        """Returns whether it fell."""
        return self.fallen()[:, None]

    def fallen(self) -> NDArray[np.bool_]:
        """Returns whether the trunk is low or leans by more than a radian, (W,)."""
        pose = self.robot.model.pose[:, 0]
        lean = quaternions.rotate(pose[:, 3:], UP)[:, 2]
        return (pose[:, 2] < FALLEN) | (lean < np.cos(1.0))

    def info(self) -> dict[str, Any]:
        """Returns the mean speed, and whether it walked for 10 s, in its lane, without a fall."""
        place = self.robot.model.pose[:, 0]
        time = np.maximum(self.steps, 1.0) / RATE
        speed = place[:, 0] / time
        done = (self.steps >= 10 * RATE) & ~self.fallen()
        success = done & (np.abs(speed - SPEED) < 0.05) & (np.abs(place[:, 1]) < 0.5)
        return {"quadruped": {"success": success, "speed": speed}}


class Trot(ArrayPolicy):
    """Leaves the trot as it is."""

    def act(
        self,
        agent: str,
        observations: Any,
        action_space: Space[Any],
        rngs: Sequence[np.random.Generator],
    ) -> Any:
        """Returns 0 for each joint."""
        return np.zeros((len(observations), 12))


def make(worlds: int = 1, seed: int = 0) -> Environment:
    """Makes the task; an episode takes 10 s."""
    simulator = open_simulator(GazeboXMLLoader().load_world(WORLD), worlds)
    world = World(simulator, seed=seed, steps_per_tick=5)
    return Environment(Field(world), frame_skip=5, max_episode_steps=10 * RATE, seed=seed)


TASK = Task(
    name="walk",
    make=make,
    policies={"trot": Trot()},
    film=CameraView(
        Pose((1.35, -1.1, 0.7), Euler(0.0, 0.23, 2.46)),
        0.8,
        960,
        540,
        follows="quadruped",
        orbit_rate=0.15,
    ),
    map_view=CameraView.from_above(2.5, 0.0, 6.0, size=(600, 300)),
    training={
        "steps": 600_000,
        "worlds": 64,
        "rollout": 32,
        "minibatch": 512,
        "learning_rate": 5e-4,
        "decay": True,
        "gamma": 0.97,
        "log_std": -1.0,
        "hidden": (128, 64),
    },
)
