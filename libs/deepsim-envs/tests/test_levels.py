# SPDX-License-Identifier: Apache-2.0
"""Curricula: a level for each world, which a hook of the area moves."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box

from deepsim_envs import (
    AbstractAgent,
    Agents,
    Area,
    AreaInterface,
    Environment,
    GymnasiumVectorEnv,
    JoinedEnvironment,
)
from deepsim_math import Pose
from deepsim_sync import World
from deepsim_sync.testing import TableModel, TableSimulator

SEEN, ACTED = Box(0.0, 99.0, (1,)), Box(-1.0, 1.0, (1,))


class Stairs(Area):
    """An agent whose episode has two steps; it climbs a level if the sum of its actions is > 0.

    It sees its level, and a random number that it draws as many times as its level says.
    """

    agents = Agents(["climber"], Box(0.0, 99.0, (2,)), ACTED)
    first_level = 1

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.sums, self.drawn = np.zeros((2, len(world), 1))
        self.told: list[list[int]] = []
        self.given: Any = None

    def reset(self, worlds: Any) -> None:
        self.sums[worlds] = 0.0
        for world in worlds.tolist():
            self.drawn[world] = self.world.rngs[world].random(int(self.level[world]) + 1)[-1]

    def act(self, actions: Any) -> None:
        self.sums += actions[..., 0]

    def observe(self) -> Any:
        return np.stack([np.broadcast_to(self.level[:, None], self.sums.shape), self.drawn], axis=2)

    def reward(self) -> Any:
        return self.sums.copy()

    def truncated(self) -> Any:
        return self.world.ticks[:, None] == 2

    def next_level(self, worlds: Any) -> Any:
        self.told.append(worlds.tolist())
        if self.given is not None:
            return self.given
        climbs = np.where(self.sums[worlds, 0] > 0.0, 1, -1)
        return np.maximum(self.level[worlds] + climbs, 0)


def stairs(worlds: int = 1, **arguments: Any) -> Environment:
    return Environment(Stairs(World(TableSimulator(worlds=worlds))), **arguments)


def play(environment: Environment, *actions: float) -> None:
    for _ in range(2):
        environment.step_worlds((np.array(actions)[:, None, None],))


def levels(environment: Any) -> list[int]:
    return list(environment.info()["level"])


def test_the_hook_moves_the_level_of_each_world() -> None:
    environment = stairs(3)
    environment.reset_worlds(seed=5)
    assert levels(environment) == [1, 1, 1]
    play(environment, 1.0, -1.0, 1.0)
    seen = environment.reset_worlds(worlds=[0, 1])[0]
    assert levels(environment) == [2, 0, 1] == seen[:, 0, 0].tolist()
    assert environment.area.told == [[0, 1]]  # type: ignore[attr-defined]
    for _ in range(2):  # the episode of world 2 is over, and waits
        environment.step_worlds((np.array([1.0, -1.0, 0.0])[:, None, None],), [0, 1])
    environment.reset_worlds()
    assert levels(environment) == [3, 0, 2]
    assert environment.reset(seed=5)[1]["level"].tolist() == [1, 1, 1]


def test_an_episode_with_a_seed_has_the_first_level_or_the_one_that_is_asked_for() -> None:
    environment = stairs(2)
    first = environment.reset_worlds(seed=7)
    play(environment, 1.0, 1.0)
    environment.reset_worlds([None, 8])
    assert levels(environment) == [2, 1]
    play(environment, 1.0, 1.0)
    again = environment.reset_worlds(seed=7)
    np.testing.assert_array_equal(again[0], first[0])
    environment.reset_worlds(options={"level": 4})
    assert levels(environment) == [4, 4]
    environment.reset_worlds(seed=3, options={"level": [2, 6]})
    assert levels(environment) == [2, 6]
    assert len(environment.area.told) == 1  # type: ignore[attr-defined]


def test_each_world_moves_as_it_would_alone() -> None:
    """Also in a view that resets worlds itself."""
    actions = np.random.default_rng(0).uniform(-1.0, 1.0, (40, 4, 1)).astype(np.float32)
    together = GymnasiumVectorEnv(stairs(4), autoreset_mode="SameStep")
    together.reset(seed=3)
    expected = [together.step(own) for own in actions]
    assert {int(level) for step in expected for level in step[4]["level"]} > {0, 1, 2}
    for world in range(4):
        alone = GymnasiumVectorEnv(stairs(), autoreset_mode="SameStep")
        alone.reset(seed=3 + world)
        for own, step in zip(actions[:, [world]], expected, strict=True):
            seen, _, _, _, infos = alone.step(own)
            assert seen[0].tobytes() == step[0][world].tobytes()
            assert infos["level"][0] == step[4]["level"][world]


def test_a_snapshot_holds_the_levels() -> None:
    environment, other = stairs(2), stairs(2)
    environment.reset_worlds(seed=1)
    play(environment, 1.0, -1.0)
    environment.reset_worlds()
    play(environment, 1.0, -1.0)
    other.set_state(pickle.loads(pickle.dumps(environment.get_state())))
    assert levels(other) == [2, 0]
    for each in (environment, other):
        each.reset_worlds()
    assert levels(environment) == levels(other) == [3, 0]


class Climber(AbstractAgent):
    def get_next_state(self) -> Any:
        return [self.area.level]

    def on_action_received(self, action: Any) -> None:
        self.add_reward(float(action[0]))

    area: Any


class Ladder(AreaInterface):
    observation_space = {"climber": SEEN}  # noqa: RUF012 (as the guide shows)
    action_space = {"climber": ACTED}  # noqa: RUF012 (as above)

    def __init__(self, world: World) -> None:
        self.climber = Climber("climber", world=world)
        self.climber.area = self

    def get_agents(self) -> Any:
        return [self.climber]

    def get_info(self) -> Any:
        return {}

    def reset(self) -> None:
        pass

    def next_level(self) -> int:
        return self.level + (1 if self.climber.episode_reward > 0.0 else 0)


@pytest.fixture
def ladder() -> Iterator[Environment]:
    world = World(TableSimulator())
    world.spawn(TableModel(), "climber", Pose())
    with Environment(Ladder(world), max_episode_steps=2) as environment:
        yield environment


def test_an_area_with_objects_has_one_level(ladder: Environment) -> None:
    seen, info = ladder.reset(seed=0)
    assert info["level"] == 0 == seen["climber"][0]
    for action, level in ((1.0, 1), (-1.0, 1), (1.0, 2)):
        for _ in range(2):
            result = ladder.step({"climber": [action]})
        assert result.info["level"] == ladder.area.level  # type: ignore[union-attr]
        seen, info = ladder.reset()
        assert info["level"] == level == seen["climber"][0]


def test_joined_worlds_have_levels_of_their_own() -> None:
    worlds = JoinedEnvironment([stairs, stairs])
    worlds.reset_worlds(seed=0)
    for _ in range(2):
        worlds.step_worlds((np.array([1.0, -1.0])[:, None, None],))
    worlds.reset_worlds()
    assert levels(worlds) == [2, 0]


@pytest.mark.parametrize("given", [[1, 2, 3], 0.5, [0.5, 1.0]])
def test_a_level_is_a_whole_number_for_each_world(given: Any) -> None:
    environment = stairs(2)
    with pytest.raises(ValueError, match="option 'level' must be 2 whole numbers"):
        environment.reset_worlds(options={"level": given})
    environment.reset_worlds(seed=0)
    play(environment, 1.0, 1.0)
    environment.area.given = given  # type: ignore[union-attr]
    with pytest.raises(ValueError, match="next_level of Stairs must be 2 whole numbers"):
        environment.reset_worlds()


def test_the_info_of_the_area_leaves_the_key_to_the_environment() -> None:
    environment = stairs()
    environment.area.info = lambda: {"level": [3]}  # type: ignore[union-attr,method-assign]
    own = Environment(environment.area)
    own.reset_worlds(seed=0)
    with pytest.raises(ValueError, match="must leave the key 'level' to the environment"):
        own.info()
