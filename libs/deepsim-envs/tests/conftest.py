# SPDX-License-Identifier: Apache-2.0
"""A rink: pucks that actions push along x and y, on the table simulator."""

from __future__ import annotations

import doctest
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box, Space

import deepsim_envs
import deepsim_math
import deepsim_sync
import deepsim_sync.testing
from deepsim_envs import (
    AbstractAgent,
    Agents,
    Area,
    AreaInterface,
    Environment,
    GymnasiumEnv,
    digest,
)
from deepsim_envs.checks import checks_of
from deepsim_math import Pose, Twist
from deepsim_sync import World
from deepsim_sync.testing import TableModel, TableSimulator


class Puck(AbstractAgent):
    """Moves as its action says [m/s], sees its position [m], earns the way it goes along x [m].

    At x = 1 m it has arrived.
    """

    def get_next_state(self) -> Any:
        position = self.transform.pose.position
        return [position.x, position.y]

    def on_action_received(self, action: Any) -> None:
        self.transform.twist = Twist((*action, 0.0))

    def on_fixed_update(self, delta_time: float, sim_time: float) -> None:
        self.add_reward(self.transform.twist.linear.x * delta_time)

    def on_update(self) -> None:
        if self.transform.pose.position.x >= 1.0 - 1e-9:
            self.end_episode()


class Echo(AbstractAgent):
    """Observes what it said last: at first a sample of a space, then its last action."""

    def __init__(self, name: str, space: Space[Any]) -> None:
        super().__init__(name)
        self.said = space.sample()

    def get_next_state(self) -> Any:
        return self.said

    def on_action_received(self, action: Any) -> None:
        self.said = action


class Rink(AreaInterface):
    """Any agents; the model of each is put at a random place across the start line."""

    def __init__(self, agents: Sequence[AbstractAgent]) -> None:
        self.agents = list(agents)
        self.info: dict[str, Any] = {}
        self.observation_space = {agent.name: Box(-10.0, 10.0, (2,)) for agent in agents}
        self.action_space = {agent.name: Box(-1.0, 1.0, (2,)) for agent in agents}

    # Set by the constructor, so that a test can exchange them before it makes an environment.
    observation_space: Any = None
    action_space: Any = None

    def get_agents(self) -> Sequence[AbstractAgent]:
        return self.agents

    def get_info(self) -> dict[str, Any]:
        return self.info

    def reset(self) -> None:
        for agent in self.agents:
            agent.transform.pose = Pose((0.0, agent.world.rng.uniform(-1.0, 1.0), 0.0))


class RinkArea(Area):
    """The rink on arrays: agents "a" and "b" in every world give the bits of two pucks."""

    agents: Any = Agents(["a", "b"], Box(-10.0, 10.0, (2,)), Box(-1.0, 1.0, (2,)))

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.pucks = world.models.select(["a", "b"])
        self.earned = np.zeros((len(world), 2))

    def reset(self, worlds: Any) -> None:
        pose = np.tile(np.asarray(Pose()), (len(worlds), 2, 1))
        pose[..., 1] = self.world.uniform(-1.0, 1.0, 2, worlds)
        self.pucks.put(worlds, pose=pose)

    def act(self, actions: Any) -> None:
        twist = self.pucks.twist
        twist[self.live, :2] = actions[self.live]
        self.pucks.twist = twist
        self.earned[:] = 0.0

    def fixed_update(self, delta_time: float) -> None:
        self.earned += self.pucks.twist[..., 0] * delta_time

    def observe(self) -> Any:
        return self.pucks.pose[..., :2]

    def terminated(self) -> Any:
        return self.pucks.pose[..., 0] >= 1.0 - 1e-9

    def reward(self) -> Any:
        return self.earned


@pytest.fixture
def rink_area() -> type[RinkArea]:
    """The class of an area on arrays; tests derive others from it."""
    return RinkArea


@pytest.fixture
def make_worlds_env() -> Callable[..., Environment]:
    """Makes the environment of an area on arrays, of three worlds, if not told how many."""

    def make(area: type[Area] = RinkArea, worlds: int = 3, **options: Any) -> Environment:
        world = World(TableSimulator(worlds=worlds, timestep=0.1))
        for name in "ab":
            world.spawn(TableModel(), name, Pose())
        return Environment(area(world), **options)

    return make


class EchoArea(Area):
    """Agents observe what they did; before, all agents of a group observe one sample."""

    def __init__(self, world: World, *groups: tuple[str, Space[Any]]) -> None:
        super().__init__(world)
        self.agents = [Agents(list(names), space, space) for names, space in groups]
        self.said: Any = None

    def reset(self, worlds: Any) -> None:
        if self.said is None:
            first = []
            for group in self.agents:
                space = deepcopy(group.action_space)
                space.seed(0)
                first.append([[space.sample()] * len(group)] * len(self.world))
            self.said = tuple(first) if len(first) > 1 else first[0]

    def act(self, actions: Any) -> None:
        self.said = actions

    def observe(self) -> Any:
        return self.said

    def reward(self) -> Any:
        return np.zeros((len(self.world), sum(map(len, self.agents))))


@pytest.fixture(scope="session")
def make_echoes() -> Callable[..., Environment]:
    """Makes the environment of groups, each the letters of its agents and their space."""

    def make(
        worlds: int, *groups: tuple[str, Space[Any]], area: type[Area] = EchoArea
    ) -> Environment:
        return Environment(area(World(TableSimulator(worlds=worlds)), *groups))

    return make


@pytest.fixture(scope="session")
def echo_area() -> type[EchoArea]:
    """The class of areas whose agents observe what they did."""
    return EchoArea


@pytest.fixture(scope="session")
def drive() -> Callable[..., dict[int, list[str]]]:
    """Steps as many worlds as seeds by random actions of their own, episode after episode.

    Returns digests of what each world was told, by seed.
    """

    def drive(env: Any, seeds: list[int], steps: int = 40) -> dict[int, list[str]]:
        rngs = [np.random.default_rng(seed) for seed in seeds]
        (seen,) = env.reset_worlds(seeds)
        told = {seed: [digest(seen[world])] for world, seed in enumerate(seeds)}
        shape = len(env.agents), 2
        for _ in range(steps):
            drawn = np.array([rng.uniform([0.0, -1.0], 1.0, shape) for rng in rngs], np.float32)
            step = env.step_worlds((drawn,))
            infos = [values for own in env.info().values() for values in own.values()]
            for world, seed in enumerate(seeds):
                parts = step.observation[0], *step[1:], *infos
                told[seed].append(digest([each[world] for each in parts]))
            over = np.flatnonzero(~env.live.any(axis=1))
            if len(over):
                (seen,) = env.reset_worlds(worlds=over)
                for world in over.tolist():
                    told[seeds[world]].append(digest(seen[world]))
        return told

    return drive


class ToldRink(RinkArea):
    """The rink on arrays, with info."""

    def info(self) -> dict[str, Any]:
        worlds = len(self.world)
        y = self.pucks.pose[..., 1]
        return {"a": {"laps": np.full(worlds, 2), "y": y[:, 0]}, "wind": np.full(worlds, 0.5)}


@pytest.fixture
def simulator() -> TableSimulator:
    return TableSimulator(timestep=0.1)


@pytest.fixture
def world(simulator: TableSimulator) -> Iterator[World]:
    """A current world with the models "a", "b" and "c"."""
    world = World(simulator)
    for name in "abc":
        world.spawn(TableModel(), name, Pose())
    with world:
        yield world


@pytest.fixture
def puck() -> type[AbstractAgent]:
    """The class of an agent that works; tests derive others from it."""
    return Puck


@pytest.fixture
def rink(world: World) -> Callable[..., Rink]:
    """Makes an area; of the pucks "a" and "b", if not told which agents."""

    def make(*agents: AbstractAgent) -> Rink:
        return Rink(agents or [Puck("a"), Puck("b")])

    return make


@pytest.fixture
def make_env(rink: Callable[..., Rink]) -> Callable[..., Environment]:
    """Makes the environment of a rink with these agents, or two pucks."""

    def make(*agents: AbstractAgent, **options: Any) -> Environment:
        return Environment(rink(*agents), **options)

    return make


@pytest.fixture
def make_own_env(make_env: Callable[..., Environment]) -> Callable[..., Environment]:
    """Makes the environment of two pucks in a world of its own."""

    def make(**options: Any) -> Environment:
        with World(TableSimulator(timestep=0.1)) as world:
            for name in "ab":
                world.spawn(TableModel(), name, Pose())
            return make_env(**options)

    return make


@pytest.fixture
def make_echo(rink: Callable[..., Rink]) -> Callable[[Space[Any]], Environment]:
    """Makes the environment of one agent "a" that says and observes members of one space."""

    def make(space: Space[Any]) -> Environment:
        area = rink(Echo("a", space))
        area.observation_space = area.action_space = {"a": space}
        return Environment(area)

    return make


@pytest.fixture
def push() -> dict[str, Any]:
    """Full speed ahead for "a" and "b"."""
    return {name: np.array([1.0, 0.0], dtype=np.float32) for name in "ab"}


@pytest.fixture
def make_rink(make_worlds_env: Callable[..., Environment]) -> Callable[..., Environment]:
    """Makes the environment of a rink on arrays for trainers: info, and a limit of 7 steps."""

    def make(worlds: int = 1, seed: int | None = None, **options: Any) -> Environment:
        options = {"area": ToldRink, "frame_skip": 2, "max_episode_steps": 7, **options}
        return make_worlds_env(worlds=worlds, seed=seed, **options)

    return make


@pytest.fixture
def checked() -> Iterator[Callable[..., dict[str, tuple[str, str]]]]:
    """Checks a task of agents "a" and "b"; returns outcome and reason by check."""
    id = "DeepSim/Checked-v0"

    def check(make: Callable[..., Environment], steps: int = 40, other: Any = (0.0, 0.0)) -> Any:
        def view(agent: str = "a") -> GymnasiumEnv:
            return GymnasiumEnv(make(), agent=agent, others=lambda *_: lambda *_: other)

        gymnasium.registry.pop(id, None)
        gymnasium.register(id, entry_point=view)
        return {each.name: (each.outcome, each.reason) for each in checks_of(id, make, steps)}

    yield check
    gymnasium.registry.pop(id, None)


@pytest.fixture(scope="session")
def names_of_examples() -> dict[str, Any]:
    """The names that a reader has imported, and those of the tasks in two of the examples."""
    modules = deepsim_math, deepsim_sync, deepsim_sync.testing, gymnasium.spaces, deepsim_envs
    found = {name: getattr(module, name) for module in modules for name in module.__all__}
    for task in (deepsim_envs.Area, deepsim_envs.AbstractAgent):
        (example,) = doctest.DocTestFinder(recurse=False).find(task, globs=found)
        assert doctest.DocTestRunner().run(example, clear_globs=False).failed == 0
        found = example.globs
    return found
