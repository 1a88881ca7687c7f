# SPDX-License-Identifier: Apache-2.0
"""Tasks and policies that workers of rollout pools import by name; see the tests of rollouts."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from deepsim_envs import AbstractAgent, Agents, Area, AreaInterface, Environment, digest
from deepsim_math import Pose, Twist
from deepsim_sync import World
from deepsim_sync.testing import TableModel, TableSimulator
from deepsim_train.rollout_pool import RolloutPool

RINK = "rollout_tasks:make_rink"
LINEAR = "rollout_tasks:Linear"
WEIGHTS = {"gain": np.array([0.25, 1.0], np.float32)}


def bytes_of(pool: RolloutPool) -> list[str]:
    """Digests of 2100 steps, by two sets of weights."""
    before = pool.collect(3)
    pool.set_weights(WEIGHTS)
    return [digest(fragment) for fragment in before + pool.collect(4)]


class Puck(AbstractAgent):
    """Moves as its action says [m/s]; arrives at x = 1 m."""

    def get_next_state(self) -> Any:
        position = self.transform.pose.position
        return [position.x, position.y]

    def on_action_received(self, action: Any) -> None:
        self.transform.twist = Twist((*action, 0.0))

    def on_update(self) -> None:
        x = self.transform.pose.position.x
        self.add_reward(x)
        if x >= 1.0:
            self.end_episode()


class Rink(AreaInterface):
    """Two pucks, put anywhere before x = 0.5 m."""

    def __init__(self, world: World) -> None:
        for name in ("a", "b"):
            world.spawn(TableModel(), name, Pose())
        self.pucks = [Puck(name, world=world) for name in ("a", "b")]
        self.observation_space = {puck.name: spaces.Box(-100.0, 100.0, (2,)) for puck in self.pucks}
        self.action_space = {puck.name: spaces.Box(-1.0, 1.0, (2,)) for puck in self.pucks}

    observation_space: Any = None
    action_space: Any = None

    def get_agents(self) -> list[Puck]:
        return self.pucks

    def get_info(self) -> dict[str, Any]:
        return {}

    def reset(self) -> None:
        for puck in self.pucks:
            x, y = puck.world.rng.uniform(-0.5, 0.5, 2)
            puck.transform.pose = Pose((x, y, 0.0))


def make_rink(max_episode_steps: int = 24) -> Environment:
    """The rink, in which episodes end by arrival or are cut off."""
    world = World(TableSimulator(timestep=0.125))
    return Environment(Rink(world), max_episode_steps=max_episode_steps)


def make_stuck(folder: str) -> Environment:
    """The rink, which leaves a file where it is closed, and then fails to."""
    environment = make_rink()

    def close() -> None:
        Path(folder, str(id(environment))).touch()
        raise OSError("stuck")

    environment.area.close = close  # type: ignore[method-assign]
    return environment


class Linear:
    """Acts as its weights say, element by element, with some noise; without weights, at random."""

    def __init__(self, observation_space: Any, action_space: Any, noise: float = 0.5) -> None:
        self.noise = noise
        self.gain = np.float32(0.0)

    def act(self, agent: str, observations: Any, rng: np.random.Generator) -> Any:
        noise = rng.uniform(-self.noise, self.noise, observations.shape).astype(np.float32)
        return np.clip(np.float32(0.5) - self.gain * observations + noise, -1.0, 1.0)

    def set_weights(self, weights: Any) -> None:
        self.gain = weights["gain"]


class DiesOnce(Linear):
    """Kills its own process for real, in the first rollout that finds no file there."""

    def __init__(self, marker: str, **spaces: Any) -> None:
        super().__init__(**spaces)
        self.marker = Path(marker)

    def act(self, agent: str, observations: Any, rng: np.random.Generator) -> Any:
        actions = super().act(agent, observations, rng)
        if not self.marker.exists():
            self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return actions


class DiesAlways(Linear):
    """Kills its own process."""

    def act(self, agent: str, observations: Any, rng: np.random.Generator) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)


class WaitsFor(Linear):
    """Waits for a file in fragments whose first random number is that of fragment 0."""

    def __init__(self, file: str, **spaces: Any) -> None:
        super().__init__(**spaces)
        self.file = Path(file)
        self.first = np.random.default_rng(np.random.SeedSequence(0, spawn_key=(0,))).random()

    def act(self, agent: str, observations: Any, rng: np.random.Generator) -> Any:
        if rng.random() == self.first:
            while not self.file.exists():
                os.sched_yield()
        return super().act(agent, observations, rng)


class HangsOnce(Linear):
    """Never acts, in the first process that finds no file there."""

    def __init__(self, file: str, **spaces: Any) -> None:
        super().__init__(**spaces)
        self.hangs = not Path(file).exists()
        Path(file).touch()

    def act(self, agent: str, observations: Any, rng: np.random.Generator) -> Any:
        while self.hangs:
            signal.pause()
        return super().act(agent, observations, rng)


class Signs(Linear):
    """Leaves a file named after its process."""

    def __init__(self, folder: str, **spaces: Any) -> None:
        super().__init__(**spaces)
        Path(folder, str(os.getpid())).touch()


class Stumbles(Linear):
    """Raises in those fragments whose first random number is below its limit."""

    def __init__(self, limit: float, **spaces: Any) -> None:
        super().__init__(**spaces)
        self.limit = limit

    def act(self, agent: str, observations: Any, rng: np.random.Generator) -> Any:
        if rng.random() < self.limit:
            raise KeyError("the policy stumbled")
        return super().act(agent, observations, rng)


class Rows(Linear):
    """Acts for one world, however many there are."""

    def act(self, agent: str, observations: Any, rng: np.random.Generator) -> Any:
        return super().act(agent, observations, rng)[:1]


class Lost(Linear):
    """Acts by no number."""

    def act(self, agent: str, observations: Any, rng: np.random.Generator) -> Any:
        return np.full_like(observations, np.nan)


class Eager(Linear):
    """Acts out of bounds."""

    def act(self, agent: str, observations: Any, rng: np.random.Generator) -> Any:
        return np.full_like(observations, 9.0)


class Counts(Linear):
    """Remembers the steps of the episode and the last observation, and acts by them."""

    def initial_memory(self, agent: str) -> Any:
        return {"steps": np.array(0), "last": np.full(2, -1.0, np.float32)}

    def act(self, agent: str, observations: Any, rng: Any, memory: Any = None) -> Any:
        drift = 0.25 * (memory["steps"] % 2)[:, None] - memory["last"]
        after = {"steps": memory["steps"] + 1, "last": observations}
        actions = super().act(agent, observations + drift.astype(np.float32), rng)
        return actions, after


class DiesRemembering(Counts):
    """Kills its own process at its nth act, if it finds no file there."""

    def __init__(self, marker: str, nth: int, **spaces: Any) -> None:
        super().__init__(**spaces)
        self.marker, self.left = Path(marker), nth

    def act(self, agent: str, observations: Any, rng: Any, memory: Any = None) -> Any:
        self.left -= 1
        if not self.left and not self.marker.exists():
            self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().act(agent, observations, rng, memory)


class Forgets(Counts):
    """Remembers another number of worlds."""

    def act(self, agent: str, observations: Any, rng: Any, memory: Any = None) -> Any:
        actions, after = super().act(agent, observations, rng, memory)
        return actions, {**after, "steps": after["steps"][:1]}


class Nested(gymnasium.Env[Any, Any]):
    """Observes its last action, which is of a nested space."""

    action_space = spaces.Dict(
        {
            "gear": spaces.Discrete(3, start=1),
            "both": spaces.Tuple([spaces.MultiBinary(2), spaces.Box(0, 255, (2, 2), np.uint8)]),
        }
    )
    observation_space = action_space

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.steps = 0
        first = {"gear": 2, "both": (np.zeros(2, np.int8), np.zeros((2, 2), np.uint8))}
        return first, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.steps += 1
        reward = float(self.np_random.random())
        return action, reward, self.steps == 3, False, {}


class Smooth(Nested):
    """Observes its last action, of a box."""

    action_space: Any = spaces.Box(-1.0, 1.0, (2,))
    observation_space: Any = action_space

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        super().reset(**options)
        return np.zeros(2, np.float32), {}


class Fleeting(Smooth):
    """Observes the number of its process too, which no seed brings back."""

    observation_space: Any = spaces.Box(-np.inf, np.inf, (2,))

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        super().reset(**options)
        return np.array([0.0, os.getpid()], np.float32), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.steps += 1
        return np.array([action[0], os.getpid()], np.float32), 0.0, self.steps == 9, False, {}


class Words(Nested):
    """Observes text, which fits no array."""

    observation_space: Any = spaces.Text(5)


def make_nothing() -> None:
    """No environment."""


def straight_on(environment: Environment, rng: np.random.Generator) -> Any:
    """The policy of pucks that nobody trains."""
    return lambda agent, seen: [0.5, 0.0]


class RinkArea(Area):
    """The rink on arrays."""

    agents = Agents(["a", "b"], spaces.Box(-100.0, 100.0, (2,)), spaces.Box(-1.0, 1.0, (2,)))

    def __init__(self, world: World) -> None:
        for name in ("a", "b"):
            world.spawn(TableModel(), name, Pose())
        super().__init__(world)
        self.pucks = world.models.select(["a", "b"])

    def reset(self, worlds: Any) -> None:
        pose = np.tile(np.asarray(Pose()), (len(worlds), 2, 1))
        pose[..., :2] = self.world.uniform(-0.5, 0.5, 4, worlds).reshape(-1, 2, 2)
        self.pucks.put(worlds, pose=pose)

    def act(self, actions: Any) -> None:
        twist = self.pucks.twist
        twist[self.live, :2] = actions[self.live]
        self.pucks.twist = twist

    def observe(self) -> Any:
        return self.pucks.pose[..., :2]

    def reward(self) -> Any:
        return self.pucks.pose[..., 0]

    def terminated(self) -> Any:
        return self.pucks.pose[..., 0] >= 1.0


def make_rinks(worlds: int = 1, max_episode_steps: int = 24) -> Environment:
    """The rink on arrays, of any number of worlds."""
    world = World(TableSimulator(worlds=worlds, timestep=0.125))
    return Environment(RinkArea(world), max_episode_steps=max_episode_steps)


NAMES = ("host", "guest", "late")
ARRIVALS = (0, 2, 4)
"""Steps after which agents join; each takes part in three steps."""


class Party(Area):
    """Agents see the number of the step and the sum of their own actions, which they earn."""

    agents = Agents(NAMES, spaces.Box(-9.0, 99.0, (2,)), spaces.Box(-1.0, 1.0, (1,)))

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.step = np.zeros((len(world), 1), np.int64)
        self.sums, self.acted = np.zeros((2, len(world), 3))

    def reset(self, worlds: Any) -> None:
        self.step[worlds] = 0
        self.sums[worlds] = 0.0

    def act(self, actions: Any) -> None:
        self.acted = np.where(self.live, actions[..., 0], 50.0)

    def update(self) -> None:
        self.step[self.stepping] += 1
        self.sums += np.where(self.live, self.acted, 0.0)

    def joined(self) -> Any:
        return self.step >= np.array(ARRIVALS)

    def observe(self) -> Any:
        step = np.broadcast_to(self.step, self.sums.shape)
        return np.where(self.live[..., None], np.stack([step, self.sums], axis=-1), 77.0)

    def terminated(self) -> Any:
        return self.step >= np.array(ARRIVALS) + 3

    def reward(self) -> Any:
        return self.acted.copy()


def make_parties(worlds: int = 1, max_episode_steps: int | None = None) -> Environment:
    """The party on arrays, of any number of worlds."""
    world = World(TableSimulator(worlds=worlds))
    return Environment(Party(world), max_episode_steps=max_episode_steps)


def make_party() -> Environment:
    """The party in one world, which is made once for each world of a worker."""
    return make_parties()
