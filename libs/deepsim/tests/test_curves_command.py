# SPDX-License-Identifier: Apache-2.0
"""`deepsim curves`, and `deepsim train --seeds`, whose runs it compares."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deepsim.cli import app
from deepsim_train.training.config import TrainingConfig


def run(folder: Path, seed: int, rewards: list[float]) -> None:
    """Writes a folder as `deepsim train` does."""
    folder.mkdir()
    config = {"task": "walk", "folder": "walk", **asdict(TrainingConfig(seed=seed))}
    (folder / "config.json").write_text(json.dumps(config))
    lines = [f"{100 * (row + 1)},{reward}\n" for row, reward in enumerate(rewards)]
    (folder / "progress.csv").write_text("steps,reward\n" + "".join(lines))


def test_runs_are_compared_in_a_picture_and_a_table(tmp_path: Path, monkeypatch) -> None:
    """The end of the mean and its deviation, also as JSON and nothing else."""
    monkeypatch.chdir(tmp_path)
    run(tmp_path / "a", 0, [1.0, 3.0])
    run(tmp_path / "b", 1, [1.0, 5.0])
    result = CliRunner().invoke(app, ["curves", "a", "b"])
    assert result.exit_code == 0, result.output
    assert "walk" in result.output
    assert "1.414" in result.output
    assert Path("curves.png").read_bytes()[1:4] == b"PNG"
    run(tmp_path / "again", 1, [1.0])
    result = CliRunner().invoke(app, ["curves", "a", "b", "again"])
    assert "left out again: another run has the same settings and seed" in result.output
    assert "1.414" in result.output
    result = CliRunner().invoke(app, ["curves", "a", "b", "--json", "--out", "c.svg"])
    (row,) = json.loads(result.stdout)
    assert (row["seeds"], row["steps"], row["reward"]) == ([0, 1], 200, 4.0)
    assert "<svg" in Path("c.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["none"], "no training run"),
        (["a", "--column", "speed"], "there are: reward"),
        (["a", "--out", "curves.xyz"], "xyz"),
    ],
)
def test_what_cannot_be_compared_is_named(tmp_path: Path, monkeypatch, words, message) -> None:
    """In one line."""
    monkeypatch.chdir(tmp_path)
    run(tmp_path / "a", 0, [1.0])
    result = CliRunner().invoke(app, ["curves", *words])
    assert result.exit_code == 1
    assert message in result.output


def test_each_seed_is_the_run_of_this_seed_alone(write_task, tmp_path: Path) -> None:
    """Byte for byte, in a folder of its own; together they are one curve."""
    pytest.importorskip("stable_baselines3")
    task = str(write_task())
    common = ["train", task, "--steps", "64", "--envs", "2", "--set", "rollout=16"]
    common += ["--episodes", "1", "--no-video"]
    both, alone = tmp_path / "both", tmp_path / "alone"
    for words in (["--seeds", "2", "--seed", "4", "--out", both], ["--seed", "5", "--out", alone]):
        result = CliRunner().invoke(app, [*common, *map(str, words)])
        assert result.exit_code == 0, result.output
    policy = (both / "seed_5" / "policy.npz").read_bytes()
    assert policy == (alone / "policy.npz").read_bytes()
    assert policy != (both / "seed_4" / "policy.npz").read_bytes()
    folders = [str(both / "seed_4"), str(both / "seed_5")]
    result = CliRunner().invoke(app, ["curves", *folders, "--json", "--out", str(both / "c.png")])
    (row,) = json.loads(result.stdout)
    assert row["seeds"] == [4, 5]
