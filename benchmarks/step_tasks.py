# SPDX-License-Identifier: Apache-2.0
"""The tasks of benchmarks/step.py: a ball that is put somewhere, and ten boxes that are driven.

Each is written on arrays and in objects, and gives the same observations both ways.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from deepsim import (
    AbstractAgent,
    Agents,
    Area,
    AreaInterface,
    Environment,
    GazeboXMLLoader,
    ModelSpawner,
    MujocoSimulator,
    Pose,
    Transform,
    Twist,
    World,
)

BOXES = [f"box_{number}" for number in range(10)]
PLACES = {name: Pose((2.0 * number, 0.0, 1.0)) for number, name in enumerate(BOXES)}
TICKS, STEPS_PER_TICK = 5, 5
GAIN = 0.2  # of the way to the wanted speed, per tick

WORLD = """<sdf version="1.7"><world name="w">
<physics type="ode"><max_step_size>0.002</max_step_size></physics></world></sdf>"""
BALL = """<sdf version="1.7"><model name="ball"><link name="link">
<inertial><mass>1</mass><inertia><ixx>0.004</ixx><iyy>0.004</iyy><izz>0.004</izz></inertia></inertial>
<collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>
</link></model></sdf>"""
BOX = """<sdf version="1.7"><model name="box"><link name="link">
<inertial><mass>1</mass><inertia><ixx>0.0067</ixx><iyy>0.0067</iyy><izz>0.0067</izz></inertia></inertial>
<collision name="c"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision>
</link></model></sdf>"""

_SEEN_BALL, _ACTED_BALL = Box(-99.0, 99.0, (3,), np.float32), Box(-1.0, 1.0, (3,), np.float32)
_SEEN_BOX, _ACTED_BOX = Box(-99.0, 99.0, (13,), np.float32), Box(-1.0, 1.0, (2,), np.float32)


def ball(worlds: int = 1, *, objects: bool = False) -> Environment:
    """Makes the ball's task: its position is set and observed in each step of 2 ms."""
    world = _world(worlds, 1)
    ModelSpawner(BALL).spawn(world, "ball", Pose((0.0, 0.0, 1.0)))
    return Environment(_BallObjects(world) if objects else _BallArrays(world))


def boxes(worlds: int = 1, *, objects: bool = False) -> Environment:
    """Makes the boxes' task: each is driven by its twist in five ticks of 10 ms per step."""
    world = _world(worlds, STEPS_PER_TICK)
    ModelSpawner(BOX).spawn_many(world, PLACES)
    area = _BoxObjects(world) if objects else _BoxArrays(world)
    return Environment(area, frame_skip=TICKS * STEPS_PER_TICK)


def _world(worlds: int, steps_per_tick: int) -> World:
    simulator = MujocoSimulator(GazeboXMLLoader().load_world(WORLD), worlds=worlds)
    return World(simulator, steps_per_tick=steps_per_tick)


class _BallArrays(Area):
    agents = Agents(["ball"], _SEEN_BALL, _ACTED_BALL)

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.ball = world.models.select(["ball"])

    def reset(self, worlds: NDArray[np.intp]) -> None:
        pass

    def act(self, actions: NDArray[np.float32]) -> None:
        pose = self.ball.pose
        pose[..., :3] = actions
        self.ball.pose = pose

    def observe(self) -> NDArray[np.float64]:
        return self.ball.pose[..., :3]

    def reward(self) -> NDArray[np.float64]:
        return self.ball.pose[..., 2]


class _Ball(AbstractAgent):
    def __init__(self, world: World) -> None:
        super().__init__("ball", world=world)
        self.transform = Transform(world, "ball")

    def on_action_received(self, action: NDArray[np.float32]) -> None:
        self.transform.pose = Pose(action.tolist())

    def get_next_state(self) -> NDArray[np.float32]:
        position = self.transform.pose.position
        self.add_reward(position.z)
        return np.array(position, np.float32)


class _BallObjects(AreaInterface):
    observation_space: Mapping[str, Any] = {"ball": _SEEN_BALL}
    action_space: Mapping[str, Any] = {"ball": _ACTED_BALL}

    def __init__(self, world: World) -> None:
        self._ball = _Ball(world)

    def get_agents(self) -> list[AbstractAgent]:
        return [self._ball]

    def get_info(self) -> dict[str, Any]:
        return {}

    def reset(self) -> None:
        pass


class _BoxArrays(Area):
    agents = Agents(BOXES, _SEEN_BOX, _ACTED_BOX)

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.boxes = world.models.select(BOXES)
        self.wanted = np.zeros((len(world), len(BOXES), 2))
        self.start = np.array(list(PLACES.values()))

    def reset(self, worlds: NDArray[np.intp]) -> None:
        self.boxes.put(pose=self.start, worlds=worlds)

    def act(self, actions: NDArray[np.float32]) -> None:
        self.wanted = actions.astype(np.float64)

    def fixed_update(self, delta_time: float) -> None:
        pose, twist = self.boxes.pose, self.boxes.twist
        x, y, z, w = pose[..., 3], pose[..., 4], pose[..., 5], pose[..., 6]
        ahead_x, ahead_y = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z)
        speed = twist[..., 0] * ahead_x + twist[..., 1] * ahead_y
        speed += GAIN * (self.wanted[..., 0] - speed)
        twist[..., 0] = ahead_x * speed
        twist[..., 1] = ahead_y * speed
        twist[..., 2:5] = 0.0
        twist[..., 5] = self.wanted[..., 1]
        self.boxes.twist = twist

    def observe(self) -> NDArray[np.float64]:
        return np.concatenate([self.boxes.pose, self.boxes.twist], axis=-1)

    def reward(self) -> NDArray[np.float64]:
        return self.boxes.twist[..., 0]


class _Box(AbstractAgent):
    def __init__(self, name: str, world: World) -> None:
        super().__init__(name, world=world)
        self.transform = Transform(world, name)
        self.wanted = (0.0, 0.0)

    def on_action_received(self, action: NDArray[np.float32]) -> None:
        self.wanted = tuple(action.tolist())

    def on_fixed_update(self, delta_time: float, sim_time: float) -> None:
        linear, ahead = self.transform.twist.linear, self.transform.forward
        speed = linear.x * ahead.x + linear.y * ahead.y
        speed += GAIN * (self.wanted[0] - speed)
        self.transform.twist = Twist(
            (ahead.x * speed, ahead.y * speed, 0.0), (0.0, 0.0, self.wanted[1])
        )

    def get_next_state(self) -> NDArray[np.float64]:
        twist = self.transform.twist
        self.add_reward(twist.linear.x)
        return np.concatenate([self.transform.pose, twist])


class _BoxObjects(AreaInterface):
    observation_space: Mapping[str, Any] = dict.fromkeys(BOXES, _SEEN_BOX)
    action_space: Mapping[str, Any] = dict.fromkeys(BOXES, _ACTED_BOX)

    def __init__(self, world: World) -> None:
        self._boxes = [_Box(name, world) for name in BOXES]

    def get_agents(self) -> list[AbstractAgent]:
        return list(self._boxes)

    def get_info(self) -> dict[str, Any]:
        return {}

    def reset(self) -> None:
        for box in self._boxes:
            box.transform.pose = PLACES[box.name]
