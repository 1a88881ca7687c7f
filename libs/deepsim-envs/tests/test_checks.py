# SPDX-License-Identifier: Apache-2.0
"""Checks of tasks: those that keep what environments promise, and those that do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest

from deepsim_envs import Environment, GymnasiumEnv
from deepsim_envs.checks import checks_of
from deepsim_math import Pose
from deepsim_sync import World
from deepsim_sync.testing import TableModel, TableSimulator

ID = "DeepSim/Checked-v0"
WORLDS = "each of 3 and of 33 worlds gives its bits alone"


def still(environment: Environment, rng: np.random.Generator) -> Any:
    return lambda agent, observation: np.zeros(2, np.float32)


@pytest.fixture
def checked() -> Iterator[Callable[..., dict[str, tuple[str, str]]]]:
    """Checks a task; returns outcome and reason by check."""

    def check(make: Callable[..., Environment]) -> dict[str, tuple[str, str]]:
        def view(agent: str = "a") -> GymnasiumEnv:
            return GymnasiumEnv(make(), agent=agent, others=still)

        gymnasium.registry.pop(ID, None)
        gymnasium.register(ID, entry_point=view)
        return {each.name: (each.outcome, each.reason) for each in checks_of(ID, make, 40)}

    yield check
    gymnasium.registry.pop(ID, None)


def test_a_task_on_arrays_passes(checked: Any, make_rink: Callable[..., Environment]) -> None:
    outcomes = checked(lambda worlds=1: make_rink(worlds))
    assert {name: each for name, each in outcomes.items() if each[0] == "failed"} == {}
    assert outcomes[WORLDS] == ("passed", "")
    assert outcomes["check_env of b (gymnasium)"] == ("passed", "")
    assert sum(name.endswith("(pettingzoo)") for name in outcomes) == 4


def test_a_task_of_objects_passes_in_one_world(checked: Any, make_env: Any, puck: Any) -> None:
    def make() -> Environment:
        with World(TableSimulator(timestep=0.1)) as world:
            for name in "ab":
                world.spawn(TableModel(), name, Pose())
            environment: Environment = make_env(puck("a"), puck("b"), max_episode_steps=7)
        return environment

    outcomes = checked(make)
    assert {name: each for name, each in outcomes.items() if each[0] == "failed"} == {}
    assert outcomes[WORLDS] == (
        "skipped",
        "the task is for one world: its function does not take worlds=",
    )


def test_bits_that_depend_on_the_number_of_worlds_are_found(
    checked: Any, make_rink: Callable[..., Environment], rink_area: Any
) -> None:
    class Crowded(rink_area):  # type: ignore[misc]  # a fixture's class
        def fixed_update(self, delta_time: float) -> None:
            twist = self.pucks.twist
            twist[..., 2] = len(self.world)
            self.pucks.twist = twist
            super().fixed_update(delta_time)

    outcome, reason = checked(lambda worlds=1: make_rink(worlds, area=Crowded))[WORLDS]
    assert outcome == "failed"
    assert "world 0 of 3 differs from the world alone, with seed 7, first in a tick" in reason


def test_a_seed_that_is_not_used_is_found(
    checked: Any, make_rink: Callable[..., Environment], rink_area: Any
) -> None:
    class Careless(rink_area):  # type: ignore[misc]  # a fixture's class
        def reset(self, worlds: Any) -> None:
            super().reset(worlds)
            pose = self.pucks.pose[worlds]
            pose[..., 2] = np.random.default_rng().random()
            self.pucks.put(worlds, pose=pose)

        def observe(self) -> Any:
            return self.pucks.pose[..., 1:3]

    outcomes = checked(partial(make_rink, area=Careless))
    assert outcomes["the same seed gives the same bits"][0] == "failed"


def test_a_task_that_never_rewards_gets_a_remark(
    checked: Any, make_rink: Callable[..., Environment], rink_area: Any
) -> None:
    class Idle(rink_area):
        def reward(self) -> Any:
            return np.zeros((len(self.world), 2))

    earns = "random actions earn rewards"
    outcome, reason = checked(lambda worlds=1: make_rink(worlds, area=Idle))[earns]
    assert outcome == "remark"
    assert reason.startswith("no agent earned a reward in 40 steps of random actions")
    assert checked(lambda worlds=1: make_rink(worlds))[earns] == ("passed", "")
