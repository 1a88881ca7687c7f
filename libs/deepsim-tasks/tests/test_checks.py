# SPDX-License-Identifier: Apache-2.0
"""Tasks pass the checks of DeepSim, Gymnasium, PettingZoo and the trainers that are installed."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from functools import partial

import gymnasium
import pettingzoo
import pytest

import deepsim_tasks
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
