# SPDX-License-Identifier: Apache-2.0
"""A cart swings a pole up by pushing along its rail, and keeps it upright.

The robot is the cart-pole of the catalogue. With ``make(swing_up=False)`` the pole begins upright.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Space
from numpy.typing import NDArray

from deepsim_envs import Agents, Area, ArrayPolicy, Environment
from deepsim_math import Euler, Pose
from deepsim_robots import Robot
from deepsim_spawn import GazeboXMLLoader, open_simulator
from deepsim_sync import CameraView, World
from deepsim_train import Task

WORLD = """
<sdf version="1.7">
  <world name="rail">
    <physics type="ode"><max_step_size>0.002</max_step_size></physics>
    <light name="sun" type="directional"><direction>-0.3 0.5 -0.9</direction></light>
    <model name="ground"><static>true</static><link name="link">
      <visual name="plane"><geometry><plane><size>200 200</size></plane></geometry>
        <material><ambient>.55 .6 .55 1</ambient><diffuse>.55 .6 .55 1</diffuse></material></visual>
    </link></model>
  </world>
</sdf>
"""

END, FALLEN = 2.3, 0.21  # of the rail [m], and of the pole [rad]
UPRIGHT = 0.4  # [rad] within which the pole counts as up
RATE = 50  # steps of the cart in a second
PUSH = 10.0  # force of the largest action [N], as the robot has it


class Rail(Area):
    """The cart earns 1 for each step in which the pole stands, and is done when it falls."""

    agents = Agents(
        ["cart"],
        observation_space=Box(-50.0, 50.0, (5,)),  # x [m], cos and sin of the angle, their rates
        action_space=Box(-1.0, 1.0, (1,)),  # push along the rail
    )

    def __init__(self, world: World, swing_up: bool) -> None:
        super().__init__(world)
        self.robot = Robot.load(world, "cartpole")
        self.joints = self.robot.joints.rows
        self.start = np.array([0.0, np.pi if swing_up else 0.0])
        self.swing_up = swing_up
        self.upright = np.zeros(len(world))  # steps in a row until now

    def reset(self, worlds: NDArray[np.intp]) -> None:
        """Begins hanging or nearly upright, at rest."""
        self.upright[worlds] = 0
        offsets = self.world.uniform(-0.05, 0.05, 2, worlds)
        self.joints.put(worlds, position=self.start + offsets)

    def act(self, actions: NDArray[np.float32]) -> None:
        """Pushes until the next step."""
        self.robot.set_action(actions[:, 0])

    def update(self) -> None:
        """Counts the steps for which the pole stands."""
        angle = self.joints.position[:, 1]
        self.upright = np.where(np.cos(angle) > np.cos(FALLEN), self.upright + 1, 0)

    def observe(self) -> NDArray[np.float64]:
        """Returns the place, the direction and the rates, (W, 1, 5)."""
        x, angle = self.joints.position.T
        return np.stack([x, np.cos(angle), np.sin(angle), *self.joints.velocity.T], axis=1)[:, None]

    def reward(self) -> NDArray[np.float64]:
        """Returns 1, or how far up the pole is and how near the cart is to the middle, 0..1."""
        if not self.swing_up:
            return np.ones((len(self.world), 1))
        x, angle = self.joints.position.T
        rate = self.joints.velocity[:, 1]
        still = 1.0 / (1.0 + 0.05 * rate * rate)
        return ((1.0 + np.cos(angle)) / 2.0 * still * (1.0 - 0.5 * (x / END) ** 2))[:, None]

    def terminated(self) -> NDArray[np.bool_]:
        """Returns whether the pole fell, or the cart left the rail."""
        x, angle = self.joints.position.T
        fell = (np.abs(angle) > FALLEN) & (not self.swing_up)
        return ((np.abs(x) > END) | fell)[:, None]

    def info(self) -> dict[str, Any]:
        """Returns whether the pole has been upright for 5 s."""
        return {"cart": {"success": self.upright >= 5 * RATE}}


class Balance(ArrayPolicy):
    """Pushes in proportion to the state: a linear regulator, after it swung the pole up.

    Far from upright, the push brings the energy of the pole to that of standing still upright:
    acceleration k (E - E0) w cos(angle) of the cart, less a spring to the middle. Source: Astrom,
    Furuta: Swinging up a pendulum by energy control, Automatica 36, 2000.
    """

    GAINS = np.array([1.0, 35.0, 2.0, 8.0])  # N per m, rad, m/s, rad/s
    GRAVITY, LENGTH = 9.81, 2.0 / 3.0  # of the pole: I / (m l)

    def act(
        self,
        agent: str,
        observations: Any,
        action_space: Space[Any],
        rngs: Sequence[np.random.Generator],
    ) -> Any:
        """Returns the push for each state."""
        x, cosine, sine, speed, rate = np.moveaxis(observations, -1, 0)
        angle = np.arctan2(sine, cosine)
        state = np.stack([x, angle, speed, rate], axis=-1)
        hold = (state * self.GAINS).sum(axis=-1)
        energy = (
            0.5 * self.LENGTH * rate * rate / self.GRAVITY + cosine - 1.15
        )  # 0 a little beyond upright
        toward = np.where(rate * cosine >= 0.0, 1.0, -1.0)
        pump = np.clip(12.0 * energy, -6.0, 6.0) * toward - 3.0 * x - 1.5 * speed
        near = (np.abs(angle) < UPRIGHT) & (np.abs(rate) < 3.0)
        return np.clip(np.where(near, hold, pump)[..., None] / PUSH, -1.0, 1.0)


def make(worlds: int = 1, seed: int = 0, swing_up: bool = True) -> Environment:
    """Makes the task; the cart acts 50 times a second, for 10 s at most."""
    simulator = open_simulator(GazeboXMLLoader().load_world(WORLD), worlds)
    world = World(simulator, seed=seed, steps_per_tick=10)
    area = Rail(world, swing_up)
    return Environment(area, frame_skip=10, max_episode_steps=10 * RATE, seed=seed)


TASK = Task(
    name="cartpole",
    make=make,
    policies={"balance": Balance()},
    film=CameraView(Pose((0.0, -4.5, 2.1), Euler(0.0, 0.15, np.pi / 2)), 1.1, 960, 540),
    map_view=CameraView.from_above(0.0, 0.0, 4.0, size=(600, 300)),
    training={
        "steps": 300_000,
        "worlds": 64,
        "rollout": 64,
        "minibatch": 1024,
        "learning_rate": 1e-3,
        "decay": True,
        "gamma": 0.98,
    },
)
