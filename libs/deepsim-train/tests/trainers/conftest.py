# SPDX-License-Identifier: Apache-2.0
"""Races of pucks, which every trainer is to learn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete, Space

from deepsim_envs import Agents, Area, Environment, JoinedEnvironment
from deepsim_sync import World
from deepsim_sync.testing import TableSimulator


class Echo(Area):
    """Agents observe what they said last: at first a sample of a space, then their last actions."""

    def __init__(self, world: World, space: Space[Any]) -> None:
        super().__init__(world)
        self.agents = Agents(["a", "b"], space, space)
        self.said: Any = [[space.sample(), space.sample()]]

    def reset(self, worlds: Any) -> None:
        pass

    def act(self, actions: Any) -> None:
        self.said = actions

    def observe(self) -> Any:
        return self.said

    def reward(self) -> Any:
        return np.zeros((1, 2))


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    """Small networks only lose time by more, above all where others use the cores."""
    if find_spec("torch") is not None:  # each file says what it needs
        import_module("torch").set_num_threads(1)


@pytest.fixture
def make_race(make_race_on_arrays: Callable[..., Environment]) -> Callable[..., Environment]:
    """Makes a race of two pucks in one world that is cut off after 12 steps."""

    def make(max_episode_steps: int | None = 12, **changes: Any) -> Environment:
        return make_race_on_arrays(1, None, max_episode_steps, 1, **changes)

    return make


@pytest.fixture(params=["joined", "of one environment"])
def make_races(
    request: pytest.FixtureRequest,
    make_race: Callable[..., Environment],
    make_race_on_arrays: Callable[..., Environment],
) -> Callable[..., Any]:
    """Makes several races, of an environment for each or of one for all."""

    def make(worlds: int, max_episode_steps: int | None = 12) -> Any:
        if request.param == "joined":
            return JoinedEnvironment([partial(make_race, max_episode_steps)] * worlds)
        return make_race_on_arrays(worlds, None, max_episode_steps, 1)

    return make


@pytest.fixture
def make_echo() -> Callable[[Space[Any]], Environment]:
    """Makes an environment of two agents that say and observe members of a space."""
    return lambda space: Environment(Echo(World(TableSimulator()), space), max_episode_steps=7)


@pytest.fixture
def apart() -> list[Agents]:
    """Agents of the race that differ in their action spaces."""
    seen = Box(-10.0, 10.0, (2,))
    return [Agents("a", seen, Box(-1.0, 1.0, (2,))), Agents("b", seen, Discrete(3))]
