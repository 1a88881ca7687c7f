# SPDX-License-Identifier: Apache-2.0
"""Checks of tasks: those that keep what environments promise, and those that do not."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from deepsim_envs import Environment

WORLDS = "each of 3 and of 33 worlds gives its bits alone"
EARNS = "random actions earn rewards"


def test_a_task_on_arrays_passes(checked: Any, make_rink: Callable[..., Environment]) -> None:
    found = checked(lambda worlds=1: make_rink(worlds))
    assert "failed" not in {outcome for outcome, _ in found.values()}
    for name in (WORLDS, "check_env of b (gymnasium)", EARNS):
        assert found[name] == ("passed", "")
    assert sum(name.endswith("(pettingzoo)") for name in found) == 4


def test_a_task_of_objects_passes_in_one_world(checked: Any, make_own_env: Any) -> None:
    found = checked(lambda: make_own_env(max_episode_steps=7))
    assert "failed" not in {outcome for outcome, _ in found.values()}
    reason = "the task is for one world: its function does not take worlds="
    assert found[WORLDS] == ("skipped", reason)


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

    found = checked(partial(make_rink, area=Careless))
    assert found["the same seed gives the same bits"][0] == "failed"


def test_a_task_that_never_rewards_gets_a_remark(
    checked: Any, make_rink: Callable[..., Environment], rink_area: Any
) -> None:
    class Idle(rink_area):
        def reward(self) -> Any:
            return np.zeros((len(self.world), 2))

    outcome, reason = checked(lambda worlds=1: make_rink(worlds, area=Idle))[EARNS]
    assert outcome == "remark"
    assert reason.startswith("no agent earned a reward in 40 steps of random actions")
