# SPDX-License-Identifier: Apache-2.0
"""The policies that ship solve their tasks."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_train import load_task
from deepsim_train.episodes import run_episodes
from deepsim_train.policies.slot_policy import slot_policy
from deepsim_train.tasks.search import installed_tasks

TRAINED = [
    task.name
    for task in installed_tasks()
    if (task.folder / "policy.npz").is_file()
    and task.name not in ("clutter", "duo")  # which have tests of their own
]


def test_the_pole_is_balanced_in_every_world_and_falls_without() -> None:
    task = load_task("cartpole")
    lengths = {}
    for push in (0.0, 1.0):
        environment = task.make(worlds=32, seed=7, swing_up=False)
        (seen,), steps = environment.reset_worlds(), np.zeros(32)
        while environment.live.any():
            (worlds,) = environment.live[:, 0].nonzero()
            actions = push * task.policies["balance"].act("cart", seen[:, 0], None, [])
            (seen,) = environment.step_worlds((actions[:, None],), worlds).observation
            steps[worlds] += 1
        lengths[push] = steps
        assert environment.info()["cart"]["success"].all() == (push == 1.0)
        environment.reset_worlds()
        environment.step_worlds((np.zeros((32, 1, 1)),))
        assert not environment.info()["cart"]["success"].any()
    assert (lengths[1.0] == 500).all()
    assert lengths[0.0].mean() < 200


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["trained", "balance"])
def test_the_pole_is_swung_up_and_held(policy: str) -> None:
    """In at least 90 of 100 episodes it is upright for the last 5 of 10 seconds."""
    assert success_rate("cartpole", policy, 100) >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("task", TRAINED)
def test_policies_that_ship_succeed(task: str) -> None:
    """In at least nine of ten worlds."""
    assert success_rate(task, "trained", 10) >= 0.9


def success_rate(name: str, policy: str, worlds: int) -> float:
    task = load_task(name)
    with task.environment(seed=5000, worlds=worlds) as environment:
        act = slot_policy(task.policy(policy), environment, 5000)
        episodes = run_episodes(environment, act, number=1, seed=5000)
        agents = environment.agents
        successes = [episode.info[agent]["success"] for episode in episodes for agent in agents]
        return float(np.mean(successes))


@pytest.mark.slow
def test_the_chasers_catch_all_runners_that_follow_the_script() -> None:
    """Within 20 s, in at least nine of ten worlds."""
    task = load_task("tag").variant({"scripted": 1.0})
    with task.environment(seed=5000, worlds=40) as environment:
        act = slot_policy(task.policy("trained"), environment, 5000)
        episodes = run_episodes(environment, act, number=1, seed=5000)
        assert np.mean([episode.info["chaser_1"]["success"] for episode in episodes]) >= 0.9


def test_an_arm_that_sees_pixels_moves_as_one_that_sees_the_state() -> None:
    """The script, which reads the state of both, earns the same; the cube is red in pictures."""
    earned = []
    for name in ("lift", "lift?pixels=true"):
        task = load_task(name)
        with task.environment(seed=5000, worlds=2) as environment:
            act = slot_policy(task.policy("pick"), environment, 5000)
            episodes = run_episodes(environment, act, number=1, seed=5000)
            earned.append([episode.rewards["arm"] for episode in episodes])
            seen = environment.area.observe()
    assert earned[0] == earned[1]
    assert min(earned[0]) > 100.0
    red, green, _ = np.moveaxis(seen["picture"].astype(int), -1, 0)
    assert ((red > 2 * green) & (red > 100)).sum(axis=(1, 2, 3)).min() > 50  # of 4096 pixels
