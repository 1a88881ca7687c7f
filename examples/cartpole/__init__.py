# SPDX-License-Identifier: Apache-2.0
"""A cart keeps a pole upright by pushing along its rail: joints read and commanded, on arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Space
from numpy.typing import NDArray

from deepsim import (
    Agents,
    Area,
    ArrayPolicy,
    CameraView,
    Environment,
    Euler,
    GazeboXMLLoader,
    ModelSpawner,
    Pose,
    Task,
    World,
    open_simulator,
)

WORLD = """
<sdf version="1.7">
  <world name="rail">
    <physics type="ode"><max_step_size>0.002</max_step_size></physics>
    <light name="sun" type="directional"><direction>-0.3 0.5 -0.9</direction></light>
  </world>
</sdf>
"""

CARTPOLE = """
<sdf version="1.7">
  <model name="cartpole">
    <link name="rail">
      <visual name="rail">
        <geometry><box><size>5.2 0.04 0.04</size></box></geometry>
      </visual>
    </link>
    <link name="cart">
      <inertial><mass>1</mass></inertial>
      <visual name="cart">
        <geometry><box><size>0.4 0.2 0.2</size></box></geometry>
        <material><diffuse>0.2 0.3 0.7 1</diffuse></material>
      </visual>
    </link>
    <link name="pole">
      <pose>0 -0.12 0 0 0 0</pose>
      <inertial>
        <pose>0 0 0.5 0 0 0</pose>
        <mass>0.1</mass>
        <inertia><ixx>0.00833</ixx><iyy>0.00833</iyy><izz>0.00001</izz></inertia>
      </inertial>
      <visual name="pole">
        <pose>0 0 0.5 0 0 0</pose>
        <geometry><cylinder><radius>0.03</radius><length>1</length></cylinder></geometry>
        <material><diffuse>0.8 0.5 0.2 1</diffuse></material>
      </visual>
    </link>
    <joint name="mount" type="fixed"><parent>world</parent><child>rail</child></joint>
    <joint name="slide" type="prismatic">
      <parent>rail</parent><child>cart</child><axis><xyz>1 0 0</xyz></axis>
    </joint>
    <joint name="hinge" type="continuous">
      <parent>cart</parent><child>pole</child><axis><xyz>0 1 0</xyz></axis>
    </joint>
  </model>
</sdf>
"""

PUSH = 10.0  # force of the largest action [N]
END, FALLEN = 2.4, 0.21  # of the rail [m], and of the pole [rad]


class Rail(Area):
    """The cart earns 1 for each step in which the pole stands, and is done when it falls."""

    agents = Agents(
        ["cart"],
        observation_space=Box(-50.0, 50.0, (4,)),  # x [m], angle [rad], and their rates
        action_space=Box(-1.0, 1.0, (1,)),  # push along the rail
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        ModelSpawner(CARTPOLE).spawn(world, "cartpole", Pose((0.0, 0.0, 0.5)))
        self.joints = world.joints.select(["cartpole::slide", "cartpole::hinge"])
        self.slide = world.joints.select(["cartpole::slide"])

    def reset(self, worlds: NDArray[np.intp]) -> None:
        """Begins nearly upright, at rest."""
        self.joints.put(worlds, position=self.world.uniform(-0.05, 0.05, 2, worlds))

    def act(self, actions: NDArray[np.float32]) -> None:
        """Pushes until the next step."""
        self.slide.feedforward = PUSH * actions[..., 0]

    def observe(self) -> NDArray[np.float64]:
        """Returns positions and velocities of both joints, (W, 1, 4)."""
        state = np.concatenate([self.joints.position, self.joints.velocity], axis=1)
        return state[:, None]

    def reward(self) -> NDArray[np.float64]:
        """Returns 1."""
        return np.ones((len(self.world), 1))

    def terminated(self) -> NDArray[np.bool_]:
        """Returns whether the pole fell, or the cart left the rail."""
        x, angle = self.joints.position.T
        return ((np.abs(x) > END) | (np.abs(angle) > FALLEN))[:, None]


class Balance(ArrayPolicy):
    """Pushes in proportion to the state: a linear regulator."""

    GAINS = np.array([0.1, 3.0, 0.2, 0.6])

    def act(
        self,
        agent: str,
        observations: Any,
        action_space: Space[Any],
        rngs: Sequence[np.random.Generator],
    ) -> Any:
        """Returns the push for each state."""
        return np.clip((observations * self.GAINS).sum(axis=-1, keepdims=True), -1.0, 1.0)


def make(worlds: int = 1, seed: int = 0) -> Environment:
    """Makes the task; the cart acts 50 times a second, for 10 s at most."""
    simulator = open_simulator(GazeboXMLLoader().load_world(WORLD), worlds)
    world = World(simulator, seed=seed, steps_per_tick=10)
    return Environment(Rail(world), frame_skip=10, max_episode_steps=500, seed=seed)


TASK = Task(
    name="cartpole",
    make=make,
    policies={"balance": Balance()},
    film=CameraView(Pose((0.0, -4.5, 1.4), Euler(0.0, 0.15, np.pi / 2)), 1.05, 480, 288),
    map_view=CameraView.from_above(0.0, 0.0, 4.0, size=(600, 300)),
    training={"steps": 60_000, "envs": 16, "rollout": 64, "minibatch": 256},
)
