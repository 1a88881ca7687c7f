# SPDX-License-Identifier: Apache-2.0
"""`deepsim train --from` learns what a dataset of `deepsim dataset` shows."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import call, completed, require_same_files, said

from deepsim_train import TrainedPolicy

pytest.importorskip(
    "stable_baselines3", reason="training is not tested: tox -e py311-train in libs/deepsim"
)

TASK = """
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from deepsim import Agents, Area, ArrayPolicy, Environment, Task, World
from deepsim_sync.testing import TableSimulator

CHOICES = False
SEEN = {"place": Box(-2.0, 2.0, (2, 2)), "kind": Discrete(3)}
if CHOICES:
    SEEN["camera"] = Box(0, 255, (36, 36, 1), np.uint8)

class Follow(Area):
    '''Earns 1 for the right action, less its squared error.'''

    agents = Agents(["red", "blue"], Dict(SEEN), Discrete(3) if CHOICES else Box(-1.0, 1.0, (2,)))

    def __init__(self, world):
        super().__init__(world)
        self.place = np.zeros((len(world), 2, 2, 2))
        self.earned = np.zeros((len(world), 2))

    def reset(self, worlds):
        self.place[worlds] = self.world.uniform(-1.0, 1.0, (2, 2, 2), worlds)

    def act(self, actions):
        if CHOICES:
            self.earned = (actions == kind_of(self.place)) * 1.0
        else:
            self.earned = 1.0 - np.square(actions - aim_of(self.place)).sum(axis=-1)
        self.place[self.stepping] = self.world.uniform(-1.0, 1.0, (2, 2, 2), self.stepping)

    def observe(self):
        camera = np.zeros((*self.place.shape[:2], 36, 36, 1), np.uint8)
        camera[..., :9, :, 0] = (50 * kind_of(self.place))[..., None, None]
        place, kind = self.place.astype(np.float32), kind_of(self.place)
        return {"place": place, "kind": kind, **({"camera": camera} if CHOICES else {})}

    def reward(self):
        return self.earned

    def info(self):
        success = self.earned > 0.9
        return {"red": {"success": success[:, 0]}, "blue": {"success": success[:, 1]}}

def aim_of(place):
    return (place[..., 0] - place[..., 1]) / 2.0

def kind_of(place):
    return (place[..., 0, 0] > -0.3).astype(np.int64) + (place[..., 0, 0] > 0.3)

class Expert(ArrayPolicy):
    def act(self, agent, observations, action_space, rngs):
        return observations["kind"] if CHOICES else aim_of(observations["place"])

def make(worlds=1, seed=0):
    world = World(TableSimulator(worlds=worlds, timestep=0.05))
    return Environment(Follow(world), max_episode_steps=20, seed=seed)

TASK = Task("follow", make, {"expert": Expert()})
"""
SMALL = ["--no-video", "--episodes", 2, "--set", "minibatch=32", "--set", "learning_rate=0.003"]
SMALL += ["--set", "hidden=[32]"]


def dataset(tmp_path: Path, format: str, choices: bool = False) -> tuple[Path, str]:
    """Writes a task and a dataset of its expert; returns both folders."""
    pytest.importorskip("minari" if format == "minari" else "pyarrow")
    task = tmp_path / "follow"
    task.mkdir()
    (task / "__init__.py").write_text(TASK.replace("CHOICES = False", f"CHOICES = {choices}"))
    root = tmp_path / "sets"
    options = ["--policy", "expert", "--episodes", 3, "--worlds", 4, "--root", root]
    completed("dataset", task, *options, "--format", format)
    name = "follow/expert-v0" if format == "minari" else "follow_expert"
    return task, str(root / "deepsim" / name)


@pytest.mark.parametrize(
    ("format", "choices"), [("minari", False), ("lerobot", False), ("lerobot", True)]
)
def test_it_learns_to_act_as_the_dataset_does(tmp_path: Path, format: str, choices: bool) -> None:
    """The expert earns 20 in an episode; its clone earns as much with other seeds."""
    task, data = dataset(tmp_path, format, choices)
    out = tmp_path / "out"
    completed("train", task, "--from", data, *SMALL, "--out", out)
    with (out / "cloning.csv").open() as file:
        rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
    assert [row["epoch"] for row in rows] == list(range(1, 51))
    assert rows[-1]["held_back"] < 0.2 * rows[0]["held_back"]
    assert json.loads((out / "config.json").read_text())["steps"] == 0
    played = completed("run", task, "--policy", out, "--worlds", 3, "--seed", 99, "--json",
                  "--out", tmp_path / "played")  # fmt: skip
    rewards = [each["rewards"] for each in json.loads(played.stdout)["episodes"]]
    assert all(reward > 18.0 for each in rewards for reward in each.values())
    policy = TrainedPolicy.load(out / "policy.npz")
    seen: dict[str, Any] = {
        "place": np.zeros((1, 2, 2)), "kind": np.ones(1), "camera": np.full((1, 36, 36, 1), 50)
    }  # fmt: skip
    again, short = tmp_path / "again", tmp_path / "short"
    completed("train", task, "--from", data, *SMALL, "--out", again)
    assert (again / "policy.npz").read_bytes() == (out / "policy.npz").read_bytes()
    fewer = ["--set", "cloning_epochs=3"]
    completed("train", task, "--from", data, *SMALL, *fewer, "--out", short)
    assert (short / "cloning.csv").read_text().splitlines()[3].startswith("3,")
    assert len((short / "cloning.csv").read_text().splitlines()) == 4
    assert policy.act("red", seen).shape == ((1,) if choices else (1, 2))


def test_ppo_goes_on_from_the_clone(tmp_path: Path) -> None:
    """Its first rollout earns what the clone earns, and it resumes to the same bytes."""
    task, data = dataset(tmp_path, "lerobot")
    options = [*SMALL, "--worlds", 4, "--set", "rollout=40", "--set", "log_std=-2.5"]
    first = tmp_path / "first"
    completed("train", task, "--from", data, *options, "--steps", 320, "--out", first)
    with (first / "progress.csv").open() as file:
        assert float(next(csv.DictReader(file))["reward"]) > 17.0
    completed("train", "--resume", first, "--steps", 640)
    whole = tmp_path / "whole"
    completed("train", task, "--from", data, *options, "--steps", 640, "--out", whole)
    require_same_files(first, whole, "policy.npz", "progress.csv")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--set", "lstm=8"], "demonstrations train policies without a memory"),
        (["--policies", "agent"], "demonstrations train one policy, not several"),
        (["--steps", "0"], None),
    ],
)
def test_what_cannot_be_cloned_is_one_line(
    tmp_path: Path, options: list[str], message: str | None
) -> None:
    task, data = dataset(tmp_path, "lerobot")
    given = [] if message is None else ["--from", data]
    result = call("train", task, *given, *options, *SMALL, "--out", tmp_path / "out")
    assert result.exit_code != 0
    assert message is None or message in said(result)


def test_a_dataset_of_another_task_is_named(tmp_path: Path) -> None:
    task, data = dataset(tmp_path, "lerobot")
    text = (task / "__init__.py").read_text()
    other = text.replace("Box(-1.0, 1.0, (2,))", "Box(-1.0, 1.0, shape=(1,))")
    (task / "__init__.py").write_text(other)
    result = call("train", task, "--from", data, *SMALL, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "actions of shape (1,) were expected, got (2,)" in said(result)
    (task / "__init__.py").write_text(text.replace('"place"', '"spot"'))
    result = call("train", task, "--from", data, *SMALL, "--out", tmp_path / "other")
    assert result.exit_code == 1
    assert "has no observation.spot, but observation.kind" in said(result)
    missing = call("train", task, "--from", "no/such/set-v0", *SMALL, "--out", tmp_path / "none")
    assert missing.exit_code == 1
    assert "cannot learn from no/such/set-v0" in said(missing)
