# SPDX-License-Identifier: Apache-2.0
"""Tasks pass the checks of DeepSim, Gymnasium, PettingZoo and the trainers that are installed."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest

import deepsim_tasks
from deepsim_envs import Environment, digest
from deepsim_envs.checks import checks_of
from deepsim_envs.checks.own_checks import fresh_reset
from deepsim_train import load_task, register_task
from deepsim_train.checks import trainer_checks


@pytest.fixture
def id(task: str) -> Iterator[str]:
    """The name of a task in the registries."""
    name = register_task(task)
    yield name
    for registry in (gymnasium.registry, pettingzoo.parallel_registry, pettingzoo.aec_registry):
        registry.pop(name, None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "agents"), [("racetrack", 2), ("rough", 1), ("lift", 1), ("tag", 4)]
)
def test_all_checks_pass(id: str, task: str, agents: int) -> None:
    """Without a warning or a remark; those of trainers that are not installed are skipped."""
    found = list(checks_of(id, load_task(task).make, steps=40, further=trainer_checks))
    skipped = [check for check in found if check.reason.startswith("not installed: pip install")]
    assert [check for check in found if check.outcome != "passed"] == skipped
    assert all(check.name.endswith(("baselines3)", "(rllib)", "(torchrl)")) for check in skipped)
    assert len(found) == 12 + 2 * agents


@pytest.mark.parametrize(
    "task", [each.name for each in pkgutil.iter_modules(deepsim_tasks.__path__)]
)
def test_an_episode_is_the_first_of_a_new_environment(task: str) -> None:
    """To the bit; in robocup, teams of four have roles, posts and a referee."""
    if task == "clutter":
        pytest.importorskip("scenic")
    options = {"robots": 4} if task == "robocup" else {}
    fresh_reset(partial(load_task(task).make, **options), 120)


def played(task: str, order: list[int]) -> list[list[str]]:
    """Digests of the observations and rewards of each world, for seeds and actions in an order."""
    options = {"robots": 4} if task == "robocup" else {}
    with load_task(task).environment(worlds=3, **options) as environment:
        spaces = [group.action_space for group in environment.groups]
        for space in spaces:
            space.seed(3)
        environment.reset_worlds([[11, 5, 8][world] for world in order])
        found: list[list[str]] = [[] for _ in order]
        for _ in range(40):
            drawn = [
                [[space.sample() for _ in range(len(group))] for _ in order]
                for space, group in zip(spaces, environment.groups, strict=True)
            ]
            actions = tuple([every[world] for world in order] for every in drawn)
            on = np.flatnonzero(environment.live.any(axis=1))
            if not len(on):
                break
            step = environment.step_worlds(actions, on)
            for place in on:
                seen = [of_world(part, place) for part in step.observation]
                found[place].append(digest([seen, step.reward[place]]))
    return found


def of_world(values: Any, world: int) -> Any:
    """The part of a batch that is of one world."""
    if isinstance(values, Mapping):
        return {name: of_world(each, world) for name, each in values.items()}
    return values[world]


@pytest.mark.parametrize("task", ["cartpole", "walk", "navigate", "push", "racetrack", "robocup"])
def test_worlds_in_another_order_do_the_same_in_that_order(task: str) -> None:
    """To the bit: no world depends on its number, nor on its neighbours."""
    straight, order = played(task, [0, 1, 2]), [2, 0, 1]
    assert played(task, order) == [straight[world] for world in order]
    assert len({str(each) for each in straight}) == 3


def told(environment: Environment, cut: int | None) -> list[list[list[str]]]:
    """Digests of what two worlds of one seed show, by world, episode and step.

    World 1 begins anew, with the same seed and actions, where it is cut.
    """
    rng, number = np.random.default_rng(3), [0, 0]
    spaces = [(group.action_space, len(group)) for group in environment.groups]
    drawn = [
        [rng.uniform(space.low, space.high, (agents, *space.shape)) for space, agents in spaces]
        for _ in range(30)
    ]
    environment.reset_worlds([5, 5])
    found: list[list[list[str]]] = [[[]], [[]]]
    for step in range(30):
        if step == cut:
            environment.reset_worlds([5], [1])
            found[1].append([])
            number[1] = 0
        on = np.flatnonzero(environment.live.any(axis=1))
        own = [drawn[each] for each in number]
        if len(on):
            environment.step_worlds([np.stack(each) for each in zip(*own, strict=True)], on)
        seen, info = environment.area.observe(), environment.info()
        for world in on.tolist():
            number[world] += 1
            found[world][-1].append(digest([of_world(each, world) for each in (seen, info)]))
    return found


@pytest.mark.parametrize("task", ["cartpole", "walk", "navigate", "push", "racetrack", "robocup"])
def test_a_reset_of_a_world_leaves_nothing_there_and_others_alone(task: str) -> None:
    """To the bit, in observations and infos."""
    with load_task(task).environment(worlds=2) as environment:
        straight, cut = told(environment, None), told(environment, 12)
    assert cut[0] == straight[0]
    assert cut[1][0] == straight[1][0][:12]
    assert cut[1][1] == straight[1][0][:18]
