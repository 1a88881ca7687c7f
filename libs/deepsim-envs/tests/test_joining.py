# SPDX-License-Identifier: Apache-2.0
"""Agents that join an episode later, in both styles."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box, Space

from deepsim_envs import (
    AbstractAgent,
    Agents,
    Area,
    AreaInterface,
    Environment,
    GymnasiumEnv,
    GymnasiumVectorEnv,
    JoinedEnvironment,
    ResetNeededError,
    TrajectoryCollector,
)
from deepsim_math import Pose
from deepsim_sync import World
from deepsim_sync.testing import TableModel, TableSimulator

NAMES = ("host", "guest", "late")
ARRIVALS = (0, 2, 4)
"""Steps after which agents join; each takes part in three steps."""
SEEN, ACTED = Box(-9.0, 99.0, (2,)), Box(-1.0, 1.0, (1,))
Make = Callable[..., Environment]


class Party(Area):
    """Agents see the number of the step and the sum of their own actions, which they earn."""

    agents = Agents(NAMES, SEEN, ACTED)

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


class Person(AbstractAgent):
    def __init__(self, name: str, world: World) -> None:
        super().__init__(name, world=world)
        self.arrival = ARRIVALS[NAMES.index(name)]
        self.count, self.total = 0, 0.0

    def on_episode_begin(self) -> None:
        self.count, self.total = 0, 0.0
        self.absent = self.arrival > 0

    def get_next_state(self) -> Any:
        return [self.count, self.total]

    def on_action_received(self, action: Any) -> None:
        self.total += float(action[0])
        self.add_reward(float(action[0]))

    def on_update(self) -> None:
        self.count += 1
        if self.absent:
            self.add_reward(50.0)
        if self.count == self.arrival:
            self.absent = False
        if self.count == self.arrival + 3:
            self.end_episode()


class House(AreaInterface):
    def __init__(self, world: World) -> None:
        self.people = [Person(name, world) for name in NAMES]

    def get_agents(self) -> Any:
        return self.people

    def get_info(self) -> Any:
        return {"people": sum(not each.absent for each in self.people)}

    def reset(self) -> None:
        pass

    def observation_space(self) -> dict[str, Space[Any]]:
        return dict.fromkeys(NAMES, SEEN)

    def action_space(self) -> dict[str, Space[Any]]:
        return dict.fromkeys(NAMES, ACTED)


def arrays(worlds: int = 1, **arguments: Any) -> Environment:
    return Environment(Party(World(TableSimulator(worlds=worlds))), **arguments)


def objects(**arguments: Any) -> Environment:
    world = World(TableSimulator())
    for name in NAMES:
        world.spawn(TableModel(), name, Pose())
    return Environment(House(world), **arguments)


both = pytest.mark.parametrize("make", [arrays, objects])


@both
def test_an_agent_observes_when_it_joins_and_acts_from_then_on(make: Make) -> None:
    environment = make()
    for _ in range(2):
        seen, _ = environment.reset(seed=0)
        assert {name: own.tolist() for name, own in seen.items()} == {"host": [0.0, 0.0]}
        told = []
        while environment.live_agents:
            result = environment.step({name: [0.5] for name in environment.live_agents})
            assert {*result.reward} == {*result.done} == {*result.observation}
            told.append(
                {
                    name: (*own.tolist(), result.reward[name], result.done[name])
                    for name, own in result.observation.items()
                }
            )
            acted = [name for name in result.observation if name in result.last_action]
            assert [*result.last_action] == acted
        assert told == [
            {"host": (1.0, 0.5, 0.5, False)},
            {"host": (2.0, 1.0, 0.5, False), "guest": (2.0, 0.0, 0.0, False)},
            {"host": (3.0, 1.5, 0.5, True), "guest": (3.0, 0.5, 0.5, False)},
            {"guest": (4.0, 1.0, 0.5, False), "late": (4.0, 0.0, 0.0, False)},
            {"guest": (5.0, 1.5, 0.5, True), "late": (5.0, 0.5, 0.5, False)},
            {"late": (6.0, 1.0, 0.5, False)},
            {"late": (7.0, 1.5, 0.5, True)},
        ]


@both
def test_on_arrays_rows_are_void_until_then(make: Make) -> None:
    environment = make()
    seen = environment.reset_worlds(seed=0)[0]
    assert seen.tolist() == [[[0.0, 0.0]] * 3]
    live, ends = [], []
    for _ in range(7):
        live.append(environment.live[0].tolist())
        step = environment.step_worlds((np.full((1, 3, 1), 0.25),))
        ends.append(step.terminated[0].tolist())
        assert not step.reward[0][~np.array(live[-1])].any()
    assert (
        live
        == [[True, False, False]] * 2
        + [[True, True, False]]
        + [[False, True, False]]
        + [[False, True, True]]
        + [[False, False, True]] * 2
    )
    assert [row.index(True) if True in row else None for row in ends] == [
        None, None, 0, None, 1, None, 2,
    ]  # fmt: skip


@both
def test_a_snapshot_holds_who_has_yet_to_join(make: Make) -> None:
    environment, other = make(), make()
    environment.reset(seed=0)
    environment.step({"host": [1.0]})
    other.set_state(pickle.loads(pickle.dumps(environment.get_state())))
    for _ in range(6):
        actions = {name: [0.5] for name in environment.live_agents}
        one, two = environment.step(actions), other.step(actions)
        assert repr(one) == repr(two)
    assert not other.live_agents


def test_each_world_has_its_own_guests() -> None:
    """Worlds that begin at different times, and joined environments, do as each does alone."""
    actions = (np.full((2, 3, 1), 0.5),)
    for environment in (arrays(2), JoinedEnvironment([arrays, arrays])):
        environment.reset_worlds(seed=0)
        for _ in range(3):
            environment.step_worlds(actions)
        environment.reset_worlds(worlds=[1])
        assert environment.live.tolist() == [[False, True, False], [True, False, False]]
        environment.step_worlds(actions)
        step = environment.step_worlds(actions)
        assert environment.live.tolist() == [[False, False, True], [True, True, False]]
        assert step.terminated.tolist() == [[False, True, False], [False, False, False]]
        assert step.observation[0][1].tolist() == [[2.0, 1.0], [2.0, 0.0], [0.0, 0.0]]


@both
def test_pettingzoos_own_tests_pass(make: Make) -> None:
    pytest.importorskip("pettingzoo", reason="PettingZoo is not installed")
    from pettingzoo.test import (  # noqa: PLC0415 (an extra)
        api_test,
        parallel_api_test,
        parallel_seed_test,
    )

    from deepsim_envs.pettingzoo import PettingZooEnv, aec_env  # noqa: PLC0415 (an extra)

    view = PettingZooEnv(make())
    parallel_api_test(view, num_cycles=60)
    parallel_seed_test(lambda: PettingZooEnv(make()), num_cycles=60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that zeros are observed, and rewards 0
        api_test(aec_env(PettingZooEnv(make())), num_cycles=60)
    view.reset(seed=0)
    assert (view.agents, view.possible_agents) == (["host"], list(NAMES))
    assert view.state_space.contains(view.state())
    view.step({"host": np.zeros(1, np.float32)})
    *_, infos = view.step({"host": np.zeros(1, np.float32)})
    assert view.agents == ["host", "guest"] == [*infos]
    assert view.state().any()
    view.reset()
    assert not view.state().any()


@both
def test_a_trajectory_begins_when_its_agent_joins(make: Make) -> None:
    collector = TrajectoryCollector(make())
    collector.reset(seed=0)
    while collector.environment.live_agents:
        collector.step({name: [0.5] for name in collector.environment.live_agents})
    assert [each.agent for each in collector.trajectories] == list(NAMES)
    for each, arrival in zip(collector.trajectories, ARRIVALS, strict=True):
        assert each.observations[:, 0].tolist() == [arrival, *range(arrival + 1, arrival + 4)]
        assert each.rewards.tolist() == [0.5] * 3


def test_an_episode_needs_an_agent_from_the_beginning() -> None:
    environment = arrays(2)
    environment.area.joined = lambda: np.zeros((2, 3), np.bool_)  # type: ignore[union-attr]
    other = Environment(environment.area)
    with pytest.raises(ValueError, match=r"joined of Party must be True for one agent at least"):
        other.reset(seed=0)


def still(environment: Environment, rng: np.random.Generator) -> Any:
    return lambda name, seen: np.zeros(1, np.float32)


@both
def test_the_view_of_one_agent_waits_until_it_joins(make: Make) -> None:
    """It earns nothing before, and its actions have no effect."""
    one = GymnasiumEnv(make(), agent="guest", others=still)
    many = GymnasiumVectorEnv(make(), agent="guest", others=still, autoreset_mode="Disabled")
    assert one.reset(seed=0)[0].tolist() == [0.0, 0.0] == many.reset(seed=0)[0][0].tolist()
    told, vector = [], []
    for _ in range(5):
        seen, reward, terminated, truncated, _ = one.step(np.full(1, 0.5, np.float32))
        told.append((seen.tolist(), reward, terminated, truncated))
        batch = many.step(np.full((1, 1), 0.5, np.float32))
        vector.append((batch[0][0].tolist(), *(each[0] for each in batch[1:4])))
    assert told == vector == [
        ([0.0, 0.0], 0.0, False, False),
        ([2.0, 0.0], 0.0, False, False),
        ([3.0, 0.5], 0.5, False, False),
        ([4.0, 1.0], 0.5, False, False),
        ([5.0, 1.5], 0.5, True, False),
    ]  # fmt: skip


@both
def test_a_view_is_truncated_where_the_episode_ends_before_its_agent_joins(make: Make) -> None:
    view = GymnasiumEnv(make(max_episode_steps=1), agent="late", others=still)
    view.reset(seed=0)
    assert view.step(np.zeros(1, np.float32))[1:4] == (0.0, False, True)
    with pytest.raises(ResetNeededError):
        view.step(np.zeros(1, np.float32))
    many = GymnasiumVectorEnv(make(max_episode_steps=1), agent="late", others=still)
    many.reset(seed=0)
    assert [each.tolist() for each in many.step(np.zeros((1, 1)))[1:4]] == [[0.0], [False], [True]]


def test_who_is_done_cannot_come_back() -> None:
    """The message says which agent, and what to do instead."""
    environment = arrays(2)
    actions = (np.full((2, 3, 1), 0.5),)
    joined = np.ones((2, 3), np.bool_)
    environment.area.joined = lambda: joined  # type: ignore[union-attr]
    other = Environment(environment.area)
    other.reset_worlds(seed=0)
    while other.live[1, 0]:
        other.step_worlds(actions)
    joined[1, 0] = False
    with pytest.raises(ValueError, match=r"joined of Party must stay True .* 'host/1'"):
        other.step_worlds(actions)
