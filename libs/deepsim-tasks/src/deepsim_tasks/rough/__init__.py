# SPDX-License-Identifier: Apache-2.0
"""A quadruped follows velocity commands over rough ground, while it is pushed.

Its feet follow a trot in the commanded direction, which is blind. The action turns each joint's
target away from there, so that a policy begins with a gait and learns where to put the feet from a
scan of the heights around it. The ground gets harder for robots that follow, and easier for others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Space
from numpy.typing import NDArray

from deepsim_envs import Agents, Area, ArrayPolicy, Command, Environment, Push
from deepsim_fx import PhysicsRandomizer, RandomizerManager
from deepsim_math import Euler, Pose, quaternions
from deepsim_robots import JointPosition, Part, Robot, find_robot
from deepsim_spawn import GazeboXMLLoader, HeightScan, Terrain, open_simulator
from deepsim_spawn.terrain_kinds import boxes, rubble, slopes, stairs, waves
from deepsim_sync import CameraView, World
from deepsim_train import Task

WORLD = """
<sdf version="1.7">
  <world name="hills">
    <physics type="ode"><max_step_size>0.004</max_step_size></physics>
    <light name="sun" type="directional"><direction>-0.3 0.5 -0.9</direction></light>
  </world>
</sdf>
"""

RATE = 50  # steps of the policy in a second
LENGTH = 10.0  # of an episode [s]
PERIOD = 0.4  # of the trot: two legs that lie crosswise swing for the first half of it [s]
LIFT = 0.08  # height of a swinging foot [m]
HEIGHT = 0.27  # of the hips over the feet [m]
SEGMENT = 0.2  # length of thigh and calf [m]
HIPS = np.array([[0.185, 0.14], [0.185, -0.14], [-0.185, 0.14], [-0.185, -0.14]])  # of legs [m]
TURN = 0.3  # farthest that an action turns a joint from the trot [rad]
FALLEN = 0.15  # clearance of the trunk [m]
COMMANDS = (0.0, -0.2, -0.4), (0.6, 0.2, 0.4)  # least and greatest: ahead, left [m/s], turn [rad/s]
COMMANDED = 4.0  # time until the next command [s]
PUSHED = 3.0  # time until the next push [s]
PUSH = 0.4  # greatest change of velocity by a push, along x and along y [m/s]

LEVELS = 6
KINDS = [
    partial(slopes, slope=(0.0, 0.35)),
    partial(slopes, slope=(0.0, 0.35), down=True),
    partial(stairs, rise=(0.02, 0.09), tread=0.35),
    partial(stairs, rise=(0.02, 0.09), tread=0.35, down=True),
    partial(boxes, height=(0.02, 0.09)),
    partial(rubble, height=(0.02, 0.12)),
    partial(waves, height=(0.0, 0.25)),
]

UP, AHEAD = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
SCAN = 35  # heights in an observation

Floats = NDArray[np.float64]


def trot(phase: Floats, command: Floats) -> Floats:
    """Returns the joint positions of a trot that moves as commanded on level ground.

    A foot on the ground goes back as the ground does below the trunk, and swings ahead in the same
    time.

    Args:
        phase: Of the trot, 0 .. 1; (W,).
        command: Velocity ahead and to the left [m/s], and turn rate [rad/s]; (W, 3).

    Returns:
        Hip, thigh and calf of the front left, front right, rear left and rear right leg; (W, 12).
    """
    own = (phase[:, None] + np.array([0.0, 0.5, 0.5, 0.0])) % 1.0  # crosswise legs go together
    swings = own < 0.5
    within = np.where(swings, 2.0 * own, 2.0 * own - 1.0)  # 0 .. 1 of swing or stance
    along = np.where(swings, -0.5 * np.cos(np.pi * within), 0.5 - within) * PERIOD / 2.0
    x = along * (command[:, 0:1] - command[:, 2:3] * HIPS[:, 1])
    y = along * (command[:, 1:2] + command[:, 2:3] * HIPS[:, 0])
    lift = np.where(swings, LIFT * np.sin(np.pi * within), 0.0)
    hip = np.arctan2(y, HEIGHT - lift)
    z = -np.sqrt((HEIGHT - lift) ** 2 + y * y)  # in the plane of the leg
    calf = -2.0 * np.arccos(np.sqrt(x * x + z * z) / (2.0 * SEGMENT))  # law of cosines
    thigh = np.arctan2(-x, -z) - calf / 2.0
    return np.stack([hip, thigh, calf], axis=2).reshape(-1, 12)


class Hills(Area):
    """The quadruped earns the more, the nearer its velocity is to the command."""

    agents = Agents(
        ["quadruped"],
        # Phase (2); command (3); of the trunk upward axis, velocity, turn rate (9); of the joints
        # turn away from the trot, rate (24); the latest action (12); clearances (35).
        observation_space=Box(-100.0, 100.0, (50 + SCAN,)),
        action_space=Box(-1.0, 1.0, (12,)),
    )
    reward_terms = ("velocity", "turn", "steadiness", "haste")
    first_level = LEVELS // 2

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.terrain = Terrain.generate(KINDS, rows=LEVELS, border=8.0, seed=1)
        world.spawn(self.terrain.model(friction=10.0), "terrain", Pose())
        config = find_robot("quadruped").load()
        config = replace(config, parts={"legs": Part([".*"], JointPosition(normalized=False))})
        self.robot = Robot(world, config, "quadruped", Pose((0.0, 0.0, 0.295)))
        self.joints = self.robot.joints.rows
        self.scan = HeightScan(self.terrain, self.robot.model, (1.2, 0.8), 0.2, offset=(0.1, 0.0))
        self.randomizers = world.get(RandomizerManager)
        friction, load = ("uniform", 0.7, 1.5), ("uniform", 0.85, 1.2)  # factors
        for randomizer in (
            PhysicsRandomizer("quadruped", friction=friction, name="friction", world=world),
            PhysicsRandomizer("quadruped", mass=load, links=["trunk"], name="load", world=world),
        ):
            self.randomizers.add(randomizer)
        self.command = Command(world, *COMMANDS, COMMANDED)
        self.push = Push(world, "quadruped", PUSHED, linear=(PUSH, PUSH, 0.0))
        worlds = len(world)
        self.kind = np.arange(worlds) % len(KINDS)
        self.phase, self.steps = np.zeros(worlds), np.zeros(worlds)
        self.action = np.zeros((worlds, 12))
        self.haste = np.zeros(worlds)  # square of the action's latest change
        self.error = np.zeros(worlds)  # sum of the velocity's distances from the command [m/s]

    def reset(self, worlds: NDArray[np.intp]) -> None:
        """Begins in the trot at any phase, in any direction, on a patch of the world's level."""
        self.randomizers.randomize(worlds)
        self.phase[worlds] = self.world.uniform(0.0, 1.0, 1, worlds)[:, 0]
        self.kind[worlds] = self.world.uniform(0.0, len(KINDS), 1, worlds)[:, 0].astype(np.int64)
        self.steps[worlds] = self.error[worlds] = 0.0
        self.action[worlds] = 0.0
        noise = self.world.uniform(-0.05, 0.05, 12, worlds)
        self.joints.put(worlds, position=trot(self.phase, self.command.value)[worlds] + noise)
        pose = self.robot.model.pose[worlds]
        pose[:, 0, :3] = self.terrain.origins[self.level[worlds], self.kind[worlds]]
        pose[:, 0, 2] += 0.31
        turn = self.world.uniform(-np.pi, np.pi, 1, worlds)
        pose[..., 3:] = quaternions.from_axis_angle(UP, turn)
        self.robot.model.put(worlds, pose=pose)

    def act(self, actions: NDArray[np.float32]) -> None:
        """Moves the joints' targets for the next step."""
        change = actions[:, 0] - self.action
        self.haste = (change * change).sum(axis=1)
        self.action = self.action + change
        self.phase = (self.phase + 1.0 / (RATE * PERIOD)) % 1.0
        self.steps = self.steps + 1.0
        self.robot.set_action(trot(self.phase, self.command.value) + TURN * self.action)

    def observe(self) -> Floats:
        """Returns the observations, (W, 1, 85)."""
        up, velocity, rate = self.motion()
        angle = 2.0 * np.pi * self.phase
        columns = [
            np.stack([np.cos(angle), np.sin(angle)], axis=1),
            self.command.value,
            up,
            velocity,
            rate,
            self.joints.position - trot(self.phase, self.command.value),
            0.1 * self.joints.velocity,
            self.action,
            np.clip(5.0 * (self.scan.read() - HEIGHT), -5.0, 5.0),
        ]
        return np.concatenate(columns, axis=1)[:, None]

    def motion(self) -> tuple[Floats, Floats, Floats]:
        """Returns up, velocity [m/s] and turn rate [rad/s] in the frame of the trunk, (W, 3)."""
        pose, twist = self.robot.model.pose[:, 0], self.robot.model.twist[:, 0]
        turn = pose[:, 3:]
        return (
            quaternions.inverse_rotate(turn, UP),
            quaternions.inverse_rotate(turn, twist[:, :3]),
            quaternions.inverse_rotate(turn, twist[:, 3:]),
        )

    def update(self) -> None:
        """Sums the distances of the velocity from the command; now and then commands and pushes."""
        _, velocity, _ = self.motion()
        off = velocity[:, :2] - self.command.value[:, :2]
        self.error = self.error + np.sqrt((off * off).sum(axis=1))
        self.command.update()
        self.push.update()

    def reward(self) -> dict[str, Floats]:
        """Returns the terms of the reward, (W, 1) each."""
        _, velocity, rate = self.motion()
        off = velocity[:, :2] - self.command.value[:, :2]
        turn = rate[:, 2] - self.command.value[:, 2]
        tilt = rate[:, 0] * rate[:, 0] + rate[:, 1] * rate[:, 1]
        terms = {
            "velocity": np.exp(-(off * off).sum(axis=1) / 0.1),
            "turn": 0.4 * np.exp(-turn * turn / 0.2),
            "steadiness": -0.1 * velocity[:, 2] ** 2 - 0.005 * tilt,
            "haste": -0.01 * self.haste,
        }
        return {name: term[:, None] for name, term in terms.items()}

    def terminated(self) -> NDArray[np.bool_]:
        """Returns whether it fell."""
        return self.fallen()[:, None]

    def fallen(self) -> NDArray[np.bool_]:
        """Returns whether the trunk is near the ground or leans by more than a radian, (W,)."""
        pose = self.robot.model.pose[:, 0]
        lean = quaternions.rotate(pose[:, 3:], UP)[:, 2]
        return (pose[:, 2] - self.terrain.height(pose) < FALLEN) | (lean < np.cos(1.0))

    def succeeded(self) -> NDArray[np.bool_]:
        """Returns whether it followed for the whole episode, within 0.2 m/s on average, (W,)."""
        complete = (self.steps >= LENGTH * RATE) & ~self.fallen()
        return complete & (self.error < 0.2 * np.maximum(self.steps, 1.0))

    def next_level(self, worlds: NDArray[np.intp]) -> NDArray[np.int64]:
        """Returns a harder level where it succeeded, and an easier one where it fell."""
        level = self.level[worlds] + self.succeeded()[worlds] - self.fallen()[worlds]
        return np.clip(level, 0, LEVELS - 1)

    def info(self) -> dict[str, Any]:
        """Returns success, and the mean distance of the velocity from the command [m/s]."""
        error = self.error / np.maximum(self.steps, 1.0)
        return {"quadruped": {"success": self.succeeded(), "error": error}}


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
    steps = round(LENGTH * RATE)
    return Environment(Hills(world), frame_skip=5, max_episode_steps=steps, seed=seed)


TASK = Task(
    name="rough",
    make=make,
    policies={"trot": Trot()},
    film=CameraView(
        Pose((2.2, -1.9, 1.6), Euler(0.0, 0.38, 2.42)),
        0.8,
        960,
        540,
        follows="quadruped",
        orbit_rate=0.1,
    ),
    map_view=CameraView.from_above(0.0, 0.0, 48.0, size=(600, 500)),
    training={
        "steps": 4_200_000,
        "worlds": 128,
        "rollout": 32,
        "minibatch": 1024,
        "learning_rate": 5e-4,
        "decay": True,
        "gamma": 0.98,
        "log_std": -1.6,
        "hidden": (256, 128),
    },
)
