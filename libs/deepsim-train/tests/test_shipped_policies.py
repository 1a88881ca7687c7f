# SPDX-License-Identifier: Apache-2.0
"""Policies that lie in the folder of a task are its policy `trained`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from deepsim_train import TaskError, TrainedPolicy, load_task

TASK = """
from deepsim_train import Task
TASK = Task("race", lambda worlds=1, seed=0: None, training={training})
"""


def constant(action: float) -> TrainedPolicy:
    """Returns a policy of one observed number that always acts alike."""
    layer = np.zeros((1, 1), np.float32), np.full(1, action, np.float32)
    low, high = -np.ones(1, np.float32), np.ones(1, np.float32)
    return TrainedPolicy(np.zeros(1), np.ones(1), 10.0, (layer,), low, high, (1,))


@pytest.fixture
def race(tmp_path: Path) -> Path:
    """The folder of a task with a policy for each of two teams."""
    folder = tmp_path / "race"
    folder.mkdir()
    constant(0.25).save(folder / "policy_red.npz")
    constant(-0.5).save(folder / "policy_blue.npz")
    return folder


def test_each_agent_follows_the_policy_of_its_team(race: Path) -> None:
    teams = {"red": ["a", "c"], "blue": ["b"]}
    (race / "__init__.py").write_text(TASK.format(training={"policies": teams}))
    policy = load_task(race).policy("trained")
    seen = np.zeros((3, 1), np.float32)
    acted = {agent: policy.act(agent, seen, None, []).ravel().tolist() for agent in "abc"}
    assert acted == {"a": [0.25] * 3, "b": [-0.5] * 3, "c": [0.25] * 3}


@pytest.mark.parametrize("training", [{}, {"policies": "agent"}, {"policies": {"red": ["a"]}}])
def test_a_task_must_say_whose_policies_they_are(race: Path, training: object) -> None:
    (race / "__init__.py").write_text(TASK.format(training=training))
    with pytest.raises(TaskError, match=r"race holds the policies blue, red: .* name their agents"):
        load_task(race)


def test_an_agent_without_a_policy_is_told(race: Path) -> None:
    teams = {"red": ["a"], "blue": ["b_*"]}
    (race / "__init__.py").write_text(TASK.format(training={"policies": teams}))
    policy = load_task(race).policy("trained")
    with pytest.raises(TaskError, match=r"no policy was trained for agent 'b_1', but for a, b_\*"):
        policy.act("b_1", np.zeros((1, 1), np.float32), None, [])
