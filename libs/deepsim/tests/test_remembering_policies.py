# SPDX-License-Identifier: Apache-2.0
"""A task's policy that remembers is told of each episode, by every command that plays it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import call, completed

ONCE = """
class Once:
    def __init__(self, environment, rng):
        self.acted = True

    def begin_episode(self):
        self.acted = False

    def __call__(self, agent, observation):
        action, self.acted = np.full(1, float(not self.acted), np.float32), True
        return action

TASK = Task("pucks", make, {"once": Once})
"""
"""A policy that acts in the first step of each episode; its agent earns its action."""


@pytest.fixture
def once(write_task: Callable[..., Path]) -> Path:
    folder = write_task("self.add_reward(float(action[0]))")
    init = folder / "__init__.py"
    init.write_text(init.read_text() + ONCE)
    return folder


def test_run_begins_each_episode(once: Path, tmp_path: Path) -> None:
    result = call("run", once, "--episodes", 3, "--out", tmp_path / "out", "--json")
    episodes = json.loads(result.stdout)["episodes"]
    assert [each["rewards"] for each in episodes] == [{"puck": 1.0}] * 3


def test_dataset_begins_each_episode(
    once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("h5py")
    minari = pytest.importorskip("minari", reason="tox -e py311-train in libs/deepsim")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    completed("dataset", once, "--episodes", 3, "--id", "once-v0")
    episodes = list(minari.load_dataset("once-v0").iterate_episodes())
    assert [episode.rewards.tolist() for episode in episodes] == [[1.0, 0.0, 0.0]] * 3


def test_an_error_of_its_is_shown_with_its_place(once: Path, tmp_path: Path) -> None:
    init = once / "__init__.py"
    init.write_text(init.read_text().replace("self.acted = False", "raise RuntimeError('lost')"))
    result = call("run", once, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "in begin_episode" in result.stdout
    assert "policy 'once' of pucks raised RuntimeError: lost" in " ".join(result.stdout.split())
