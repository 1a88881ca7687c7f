# SPDX-License-Identifier: Apache-2.0
"""`deepsim train`, and `deepsim run` with what it trained."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from command_line import call, said

from deepsim import TaskError, load_task
from deepsim_train import TrainedPolicy, TrainingConfig
from deepsim_train.training.config import parse_settings
from deepsim_train.training.run_folder import settings_of

WriteTask = Callable[..., Path]


def test_settings_are_those_of_the_task_then_of_the_command() -> None:
    task = TrainingConfig().changed({"gamma": 0.9, "hidden": [8], "steps": 7})
    config = task.changed(parse_settings(["gamma=0.5", "game_over=any"]))
    assert (config.gamma, config.hidden, config.steps) == (0.5, (8,), 7)
    assert config.game_over == "any"


def test_a_small_number_of_a_run_is_still_a_number(tmp_path: Path) -> None:
    """JSON writes it as 1e-05, which YAML takes for text."""
    file = tmp_path / "config.json"
    file.write_text(json.dumps({"task": "x", "learning_rate": 0.00001}))
    assert TrainingConfig().changed(settings_of(file)).learning_rate == 0.00001


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("gama=1", "there is no setting 'gama': did you mean 'gamma'?"),
        ("gamma", "a setting is written name=value, got 'gamma'"),
        ("gamma=high", "gamma must be of type float, got 'high'"),
        ("gamma=1.5", "gamma must lie in 0 .. 1, got 1.5"),
        ("worlds=2.5", "worlds must be of type int, got 2.5"),
        ("worlds=true", "worlds must be of type int, got True"),
        ("rollout=0", "rollout must be >= 1, got 0"),
        ("others=random", "others 'random' needs agent, or policies by name: else nobody is left"),
        ("hidden=[0]", "hidden must be sizes >= 1, got [0]"),
        ("game_over=both", "game_over must be 'all' or 'any', got 'both'"),
    ],
)
def test_a_wrong_setting_is_one_line(write_task: WriteTask, setting: str, message: str) -> None:
    result = call("train", write_task(), "--set", setting)
    assert result.exit_code == 1
    assert said(result) == f"error: {message}"


def test_help_says_the_defaults() -> None:
    shown = " ".join(call("train", "--help").stdout.split())
    assert "by default as the task sets, else 100000." in shown


def test_without_the_extra_it_says_what_to_type(
    write_task: WriteTask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)  # as if it were not installed
    for name in [name for name in sys.modules if name.startswith("deepsim_train.training.")]:
        monkeypatch.delitem(sys.modules, name)
    result = call("train", write_task(), "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert (
        said(result)
        == "error: training needs an extra: pip install --find-links dist 'deepsim-train[ppo]'"
    )
    assert not (tmp_path / "out").exists()


def test_a_policy_of_plain_arrays_acts_as_worked_by_hand(tmp_path: Path) -> None:
    policy = TrainedPolicy(
        mean=np.array([1.0, 0.0], np.float32),
        scale=np.array([2.0, 1.0], np.float32),
        limit=5.0,
        layers=(
            (np.array([[1.0, 1.0]], np.float32), np.zeros(1, np.float32)),
            (np.array([[0.5]], np.float32), np.ones(1, np.float32)),
        ),
        low=np.array([-9.0], np.float32),
        high=np.array([1.4], np.float32),
        shape=(1,),
    )
    # ((3 - 1) / 2, 9 -> 5) sums to 6; 0.5 tanh(6) + 1 = 1.49999, of which 1.4 is allowed.
    seen = np.array([[[3.0], [9.0]], [[1.0], [0.0]]])
    assert policy.act("puck", seen).tolist() == [[pytest.approx(1.4)], [1.0]]
    policy.save(tmp_path / "policy.npz")
    again = TrainedPolicy.load(tmp_path / "policy.npz")
    assert again.act("puck", seen / 3).tobytes() == policy.act("puck", seen / 3).tobytes()
    with pytest.raises(TaskError, match="observations of 2 numbers, got 3"):
        policy.act("puck", np.zeros((4, 3)))


def test_a_policy_of_many_observations_has_the_bits_of_each_alone() -> None:
    rng = np.random.default_rng(3)
    sizes = (23, 64, 64, 5)
    layers = tuple(
        (rng.normal(size=(m, n)).astype(np.float32), rng.normal(size=m).astype(np.float32))
        for n, m in itertools.pairwise(sizes)
    )
    ones = np.ones(23, np.float32)
    policy = TrainedPolicy(0 * ones, ones, 10.0, layers, -9 * ones[:5], 9 * ones[:5], (5,))
    seen = rng.normal(size=(97, 23))
    alone = np.concatenate([policy.act("puck", row[None]) for row in seen])
    assert policy.act("puck", seen).tobytes() == alone.tobytes()


def test_a_number_of_choices_is_the_most_likely_one() -> None:
    layers = ((np.eye(3, dtype=np.float32), np.zeros(3, np.float32)),)
    zeros, ones = np.zeros(3, np.float32), np.ones(3, np.float32)
    policy = TrainedPolicy(zeros, ones, 10.0, layers, None, None, ())
    assert policy.act("puck", [[0.1, 0.7, 0.3], [0.9, 0.7, 0.3]]).tolist() == [1, 0]


def test_a_policy_beside_the_task_is_its_policy_trained(write_task: WriteTask) -> None:
    folder = write_task()
    ones = np.ones(1, np.float32)
    layers = ((np.array([[2.0]], np.float32), ones),)
    TrainedPolicy(0 * ones, ones, 9.0, layers, -ones, 0.5 * ones, (1,)).save(folder / "policy.npz")
    task = load_task(folder)
    assert list(task.available_policies) == ["random", "trained"]
    with task.environment() as environment:
        act = task.policy("trained")(environment, np.random.default_rng(0))
        assert act("puck", np.array([-0.75])).tolist() == [-0.5]
    (folder / "policy.npz").write_bytes(b"text")
    with pytest.raises(TaskError, match=r"policy\.npz is not a trained policy"):
        load_task(folder)


def test_a_policy_that_holds_objects_is_refused(write_task: WriteTask, tmp_path: Path) -> None:
    """Reading it would run code."""
    folder = tmp_path / "run"
    folder.mkdir()
    np.savez(folder / "policy.npz", mean=np.array([object()], dtype=object))
    result = call("run", write_task(), "--policy", folder, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "policy.npz is not a trained policy: Object arrays cannot be loaded" in said(result)
