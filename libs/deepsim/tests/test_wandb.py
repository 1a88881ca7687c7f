# SPDX-License-Identifier: Apache-2.0
"""What a training tells Weights & Biases; skipped where the extras are not installed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deepsim.cli import app

pytest.importorskip("stable_baselines3", reason="tox -e py311-train in libs/deepsim")
SMALL = ["--steps", "64", "--worlds", "2", "--set", "rollout=16", "--set", "minibatch=16"]


@pytest.fixture
def task(write_task: Callable[..., Path]) -> Path:
    return write_task("self.add_reward(float(action[0]))")


@pytest.fixture(autouse=True)
def no_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WANDB_MODE", raising=False)


def train(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["train", *(str(argument) for argument in arguments)])
    assert result.exit_code == 0, result.output
    return result.output


def test_runs_lie_offline_in_the_folder_and_go_on_with_one_id(task: Path, tmp_path: Path) -> None:
    pytest.importorskip("wandb", reason="tox -e py311-train in libs/deepsim")
    out = tmp_path / "out"
    train(task, *SMALL, "--set", "wandb=pushing", "--out", out)
    train("--resume", out, "--steps", 128)
    runs = sorted((out / "wandb").glob("offline-run-*/*.wandb"))
    assert len(runs) == 2
    assert len({run.name for run in runs}) == 1  # named after the id
    for run in runs:
        content = run.read_bytes()  # names and values are plain text in it
        assert content.count(b"rollout/ep_rew_mean") >= 2  # once an update
        assert b"pushing" in content
        assert b"minibatch" in content


def test_a_run_that_cannot_begin_is_an_error_with_its_reason(
    task: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("wandb", reason="tox -e py311-train in libs/deepsim")
    result = CliRunner().invoke(
        app, ["train", str(task), *SMALL, "--set", "wandb=a/b", "--out", str(tmp_path / "out")]
    )
    assert result.exit_code == 1
    assert "Weights & Biases begins no run" in " ".join(result.output.split())


def test_without_the_package_nothing_begins(
    task: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)
    monkeypatch.delitem(sys.modules, "deepsim_train.training.wandb_log", raising=False)
    result = CliRunner().invoke(
        app, ["train", str(task), *SMALL, "--set", "wandb=x", "--out", str(tmp_path / "out")]
    )
    assert result.exit_code == 1
    assert "pip install --find-links dist 'deepsim-train[wandb]'" in " ".join(result.output.split())
    assert not (tmp_path / "out" / "policy.npz").exists()
