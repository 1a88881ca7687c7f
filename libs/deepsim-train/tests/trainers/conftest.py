# SPDX-License-Identifier: Apache-2.0
"""Races of pucks, which every trainer is to learn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest
from gymnasium.spaces import Box, Space

from deepsim_envs import (
    AbstractAgent,
    AreaInterface,
    Environment,
    JoinedEnvironment,
)
from deepsim_math import Pose, Twist
from deepsim_sync import World
from deepsim_sync.testing import TableModel, TableSimulator

GOALS = {"a": 0.5, "b": 1.0}
"""Where each puck has arrived [m]."""


class Puck(AbstractAgent):
    """Moves as its action says, at up to 1 m/s, and earns the metres that it makes along x.

    It sees its position [m]; where it stands at the start is drawn from the seed.
    """

    def get_next_state(self) -> Any:
        position = self.transform.pose.position
        return [position.x, position.y]

    def on_action_received(self, action: Any) -> None:
        self.transform.twist = Twist((*action, 0.0))

    def on_fixed_update(self, delta_time: float, sim_time: float) -> None:
        self.add_reward(self.transform.twist.linear.x * delta_time)

    def on_update(self) -> None:
        if self.transform.pose.position.x >= GOALS[self.name] - 1e-6:
            self.end_episode()


class Echo(AbstractAgent):
    """Observes what it said last: at first a sample of a space, then its last action."""

    def __init__(self, name: str, space: Space[Any], world: World) -> None:
        super().__init__(name, world=world)
        self.said = space.sample()

    def get_next_state(self) -> Any:
        return self.said

    def on_action_received(self, action: Any) -> None:
        self.said = action


class Race(AreaInterface):
    """Agents with the spaces that are given, by agent."""

    def __init__(
        self,
        agents: Sequence[AbstractAgent],
        seen: Mapping[str, Space[Any]],
        acted: Mapping[str, Space[Any]],
    ) -> None:
        self.agents = list(agents)
        self._spaces = seen, acted

    def observation_space(self) -> Mapping[str, Space[Any]]:
        return self._spaces[0]

    def action_space(self) -> Mapping[str, Space[Any]]:
        return self._spaces[1]

    def get_agents(self) -> Sequence[AbstractAgent]:
        return self.agents

    def get_info(self) -> dict[str, Any]:
        return {agent.name: {"x": agent.transform.pose.position.x} for agent in self.agents}

    def reset(self) -> None:
        for agent in self.agents:
            agent.transform.pose = Pose((0.0, agent.world.rng.uniform(-1.0, 1.0), 0.0))


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    """Small networks only lose time by more, above all where others use the cores."""
    if find_spec("torch") is not None:  # each file says what it needs
        import_module("torch").set_num_threads(1)


@pytest.fixture
def make_race() -> Iterator[Callable[..., Environment]]:
    """Makes a race of two pucks that is cut off after 12 steps, in a world of its own."""
    made = []

    def make(
        max_episode_steps: int | None = 12, spaces: Mapping[str, Space[Any]] | None = None
    ) -> Environment:
        world = World(TableSimulator(timestep=0.1))
        for name in GOALS:
            world.spawn(TableModel(), name, Pose())
        pucks = [Puck(name, world=world) for name in GOALS]
        seen = {name: Box(-10.0, 10.0, (2,)) for name in GOALS}
        acted = spaces or {name: Box(-1.0, 1.0, (2,)) for name in GOALS}
        race = Race(pucks, seen, acted)
        made.append(Environment(race, max_episode_steps=max_episode_steps))
        return made[-1]

    yield make
    for environment in made:
        environment.close()


@pytest.fixture(params=["objects in turn", "arrays"])
def make_races(
    request: pytest.FixtureRequest,
    make_race: Callable[..., Environment],
    make_race_on_arrays: Callable[..., Environment],
) -> Callable[..., Any]:
    """Makes several races, written in either style."""

    def make(worlds: int, max_episode_steps: int | None = 12) -> Any:
        if request.param == "arrays":
            return make_race_on_arrays(worlds, None, max_episode_steps, 1)
        return JoinedEnvironment([partial(make_race, max_episode_steps)] * worlds)

    return make


@pytest.fixture
def make_echo() -> Iterator[Callable[[Space[Any]], Environment]]:
    """Makes an environment of two agents that say and observe members of a space."""
    made = []

    def make(space: Space[Any]) -> Environment:
        world = World(TableSimulator(timestep=0.1))
        for name in GOALS:
            world.spawn(TableModel(), name, Pose())
        echoes = [Echo(name, space, world) for name in GOALS]
        spaces = dict.fromkeys(GOALS, space)
        made.append(Environment(Race(echoes, spaces, spaces), max_episode_steps=7))
        return made[-1]

    yield make
    for environment in made:
        environment.close()
