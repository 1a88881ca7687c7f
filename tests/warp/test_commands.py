# SPDX-License-Identifier: Apache-2.0
"""The commands with ``--backend warp``."""

from __future__ import annotations

import json
import os

import pytest
from typer.testing import CliRunner

from deepsim.cli import app

pytest.importorskip("deepsim_warp", reason="make warp installs it")
pytestmark = [
    pytest.mark.skipif(os.environ.get("DEEPSIM_WARP") != "whole", reason="make warp runs it"),
    pytest.mark.filterwarnings("ignore:there is no GPU:UserWarning"),
]


def call(*arguments):
    """Returns what a command prints as JSON."""
    result = CliRunner().invoke(app, [*map(str, arguments), "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_check_finds_the_same_bits_in_any_number_of_worlds():
    found = call("check", "cartpole", "--backend", "warp", "--steps", 20)
    outcomes = {check["name"]: check["outcome"] for check in found}
    assert outcomes["each of 3 and of 33 worlds gives its bits alone"] == "passed"
    assert "failed" not in outcomes.values()


def test_run_plays_the_policy_as_on_mujoco_but_in_32_bits(tmp_path):
    """The rewards agree to 1e-3, and not in their bits."""
    found = []
    for backend in ("warp", "mujoco"):
        options = ["--backend", backend, "--policy", "trained", "--video", "none"]
        episodes = call("run", "cartpole", *options, "--out", tmp_path / backend)["episodes"]
        (reward,) = (episode["rewards"]["cart"] for episode in episodes)
        found.append(reward)
    assert found[0] == pytest.approx(found[1], rel=1e-3)
    assert found[0] != found[1]


def test_train_and_run_its_policy(tmp_path):
    """The folder holds the backend, and the policy plays on it."""
    pytest.importorskip("stable_baselines3", reason="the extra ppo is not installed")
    out = tmp_path / "out"
    small = ["--steps", 64, "--worlds", 2, "--set", "rollout=16", "--set", "minibatch=16"]
    options = ["--backend", "warp", "--no-video", "--episodes", 1, "--out", out]
    call("train", "cartpole", *small, *options)
    assert json.loads((out / "config.json").read_text())["backend"] == "warp"
    options = ["--backend", "warp", "--video", "none", "--out", tmp_path / "again"]
    assert len(call("run", "cartpole", "--policy", out, *options)["episodes"]) == 1
