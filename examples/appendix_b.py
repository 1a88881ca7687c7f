# SPDX-License-Identifier: Apache-2.0
"""Appendix B of the DeepSim paper, with its blanks filled in: two robots look for the middle.

The paper's agent keeps its name in ``self._name``; here the constructor hands it to
``super().__init__``, which makes the agent a behaviour of the world.
"""

from __future__ import annotations

import math
from typing import Any

from gymnasium.spaces import Box
from numpy.typing import NDArray

from deepsim import (
    AbstractAgent,
    AreaInterface,
    Environment,
    ModelSpawner,
    MujocoSimulator,
    Pose,
    Twist,
    World,
)

GROUND = """
<sdf version="1.6">
  <model name="ground">
    <static>true</static>
    <link name="floor">
      <collision name="collision">
        <geometry><plane><normal>0 0 1</normal><size>20 20</size></plane></geometry>
      </collision>
    </link>
  </model>
</sdf>
"""

ROBOT = """
<sdf version="1.6">
  <model name="robot">
    <link name="body">
      <inertial>
        <mass>1.0</mass>
        <inertia><ixx>0.02</ixx><iyy>0.02</iyy><izz>0.02</izz></inertia>
      </inertial>
      <collision name="collision">
        <geometry><box><size>0.4 0.4 0.2</size></box></geometry>
      </collision>
    </link>
  </model>
</sdf>
"""

FLOOR_SIZE = 10.0  # from the middle [m]
MAX_SPEED = 1.0  # [m/s]


# Define robot agent behaviour.
class RobotAgent(AbstractAgent):
    """A box that slides as its action says, and is done once it is in the middle of the floor."""

    def __init__(self, name: str) -> None:
        super().__init__(name, spawner=ModelSpawner(ROBOT))
        self._velocity = (0.0, 0.0)

    def get_next_state(self) -> list[float]:
        """Position on the floor [m]."""
        x, y, _ = self.transform.pose.position
        return [x, y]

    def on_action_received(self, action: NDArray[Any]) -> None:
        """Takes a velocity along x and y [m/s]."""
        self._velocity = (float(action[0]), float(action[1]))

    def on_fixed_update(self, delta_time: float, sim_time: float) -> None:
        """Slides; gravity goes on to hold the box down."""
        self.transform.twist = Twist((*self._velocity, self.transform.twist.linear.z))

    def on_update(self) -> None:
        """Earns more the nearer it is to the middle."""
        x, y, _ = self.transform.pose.position
        distance = math.hypot(x, y)
        self.add_reward(-distance)
        if distance < 0.4:
            self.end_episode()


# Define robot area logic.
class RobotArea(AreaInterface):
    """Two robots on a floor."""

    def __init__(self) -> None:
        self._world = World.current()
        ModelSpawner(GROUND).spawn(self._world, "ground")
        self._agents = [RobotAgent("agent0"), RobotAgent("agent1")]
        for agent in self._agents:
            agent.spawn()

    def get_agents(self) -> list[RobotAgent]:
        """Both robots."""
        return self._agents

    def get_info(self) -> dict[str, Any]:
        """Simulated time [s]."""
        return {"time": self._world.time.item()}

    def reset(self) -> None:
        """Puts one robot somewhere to the left of the middle, and one to the right."""
        for agent, x in zip(self._agents, (-2.0, 2.0), strict=True):
            agent.transform.pose = Pose((x, self._world.rng.uniform(-1.0, 1.0), 0.1))

    def observation_space(self) -> dict[str, Box]:
        """Where a robot may be."""
        return {agent.name: Box(-FLOOR_SIZE, FLOOR_SIZE, (2,)) for agent in self._agents}

    def action_space(self) -> dict[str, Box]:
        """How fast it may slide."""
        return {agent.name: Box(-MAX_SPEED, MAX_SPEED, (2,)) for agent in self._agents}


def main() -> None:
    """Runs the paper's loop of 100 steps, and prints every 25th."""
    with World(MujocoSimulator(), seed=7):
        # Instantiate the environment.
        robot_area = RobotArea()
        env = Environment(area=robot_area, frame_skip=50)
    for number, space in enumerate(env.action_space.values()):
        space.seed(number)

    # env provides a unified interface for reset, and step.
    env.reset()
    for step in range(1, 101):
        # sample random actions for agent0 and agent1
        action_dict = {
            "agent0": env.action_space["agent0"].sample(),
            "agent1": env.action_space["agent1"].sample(),
        }
        # submit agents' next actions and retrieve observation, reward, done, and action of all
        # agents along with environment information.
        state, reward, done, action, info = env.step(action_dict)
        if step % 25 == 0:
            print(f"{info['time']:.2f} s")
            for name in state:
                print(f"  {name}: {action[name]} -> {state[name]}, {reward[name]:.2f}")
        if all(done.values()):
            env.reset()
    env.close()


if __name__ == "__main__":
    main()
