# SPDX-License-Identifier: Apache-2.0
"""Trainings of tasks that forbid actions."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from command_line import call, completed, require_same_files

from deepsim_train import TrainedPolicy

MaskablePPO = pytest.importorskip(
    "sb3_contrib", reason="training is not tested: tox -e py311-train in libs/deepsim"
).MaskablePPO

TASK = """
import sys
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete
from deepsim import Agents, Area, Environment, Task, World
from deepsim_sync.testing import TableSimulator

ACTED = ACTION
COUNT = 6 if isinstance(ACTED, Discrete) else 9

class Guess(Area):
    '''Earns what its action says, 0 .. 5; only two values that are drawn anew are allowed.'''

    agents = Agents(
        ["puck", "disc"], Dict({"x": Box(0.0, 9.0, (1,)), "action_mask": MASKS}), ACTED
    )

    def __init__(self, world):
        super().__init__(world)
        self.allowed = np.zeros((len(world), 2, COUNT), np.int8)
        self.earned = np.zeros((len(world), 2))

    def reset(self, worlds):
        self.draw(worlds.tolist())

    def draw(self, worlds):
        self.allowed[worlds, :, :6] = 0
        self.allowed[worlds, :, 6:] = [0, 1, 0][: COUNT - 6]
        for world in worlds:
            for agent in range(2):
                self.allowed[world, agent, self.world.rngs[world].permutation(6)[:2]] = 1

    def act(self, actions):
        first = actions.reshape(*actions.shape[:2], -1)[..., 0]
        rows = np.arange(len(self.world))[:, None], np.arange(2)
        wrong = self.allowed[(*rows, first)] == 0
        if COUNT > 6:
            wrong |= actions[..., 1] != 1
        sys.wrong = getattr(sys, "wrong", 0) + int(wrong.sum())
        self.earned = first * 1.0
        self.draw(self.stepping.tolist())

    def observe(self):
        x = np.argmax(self.allowed[..., :6], axis=-1)[..., None].astype(np.float32)
        return {"x": x, "action_mask": self.allowed}

    def reward(self):
        return self.earned

def make(worlds=1, seed=0):
    return Environment(Guess(World(TableSimulator(worlds=worlds))), max_episode_steps=5, seed=seed)

TASK = Task("guess", make)
"""
SMALL = ["--worlds", 2, "--no-video", "--set", "rollout=8", "--set", "minibatch=16"]
SMALL += ["--set", "epochs=2", "--episodes", 1]
ONE, TWO = "Discrete(6)", "MultiDiscrete([6, 3])"


def write_guess(folder: Path, action: str = ONE, masks: str = "MultiBinary(COUNT)") -> Path:
    (folder / "guess").mkdir()
    text = TASK.replace("ACTION", action).replace("MASKS", masks)
    (folder / "guess" / "__init__.py").write_text(text)
    return folder / "guess"


@pytest.fixture(autouse=True)
def wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts the forbidden actions, as `sys.wrong`."""
    monkeypatch.setattr(sys, "wrong", 0, raising=False)


def count_of_wrong() -> int:
    return int(vars(sys)["wrong"])


@pytest.mark.parametrize(
    ("action", "masks"),
    [
        (ONE, "MultiBinary(COUNT)"),
        (TWO, "MultiBinary(COUNT)"),
        (ONE, "Box(0, 1, (COUNT,), np.int8)"),
    ],
)
def test_nothing_forbidden_is_done_and_its_policy_acts_as_the_model_does(
    tmp_path: Path, action: str, masks: str
) -> None:
    out, task = tmp_path / "out", write_guess(tmp_path, action, masks)
    evaluate = ["--set", "evaluate=2", "--set", "evaluate_every=1"]
    completed("train", task, *SMALL, *evaluate, "--steps", 128, "--out", out)
    model, policy = MaskablePPO.load(out / "model.zip"), TrainedPolicy.load(out / "policy.npz")
    rng = np.random.default_rng(0)
    mask = (rng.random((40, 9 if action == TWO else 6)) < 0.5).astype(np.int8)
    mask[:, [0, -2]] = 1
    seen = {"x": rng.uniform(0, 5, (40, 1)).astype(np.float32), "action_mask": mask}
    scaled = (seen["x"] - policy.mean[-1]) / policy.scale[-1]
    expected, _ = model.predict({**seen, "x": scaled}, deterministic=True, action_masks=mask == 1)
    acted = policy.act("puck", seen)
    assert acted.tolist() == expected.tolist()
    assert (mask[np.arange(40), acted.reshape(40, -1)[:, 0]] == 1).all()
    for number, option in enumerate((out, "random")):
        options = ["--policy", option, "--worlds", 3, "--out", tmp_path / f"played{number}"]
        completed("run", task, *options)
    assert count_of_wrong() == 0


def test_it_learns_among_what_is_allowed(tmp_path: Path) -> None:
    """The larger of two of 0 .. 5 is 3.9 in the mean, any of them 2.5; in each of five steps."""
    out, task = tmp_path / "out", write_guess(tmp_path)
    options = ["--steps", 8192, "--set", "rollout=64", "--set", "learning_rate=0.01"]
    result = completed(
        "train", task, *options, "--no-video", "--out", out, "--episodes", 30, "--json"
    )
    episodes = json.loads(result.stdout)["episodes"]
    assert np.mean([episode["rewards"]["puck"] for episode in episodes]) > 17.5
    assert count_of_wrong() == 0


def test_a_training_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    task, options = write_guess(tmp_path, TWO), [*SMALL, "--seed", 3]
    completed("train", task, *options, "--steps", 64, "--out", tmp_path / "a")
    completed("train", "--resume", tmp_path / "a", "--steps", 128)
    completed("train", task, *options, "--steps", 128, "--out", tmp_path / "b")
    require_same_files(tmp_path / "a", tmp_path / "b", "policy.npz", "progress.csv")
    with (tmp_path / "b" / "progress.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 4


@pytest.mark.parametrize(
    ("masks", "told"),
    [
        (
            "MultiBinary(COUNT)",
            "of SB3-Contrib: pip install --find-links dist 'deepsim-train[ppo]'",
        ),
        ("MultiBinary(4)", "must have an integer for each of the 6 values of Discrete(6)"),
    ],
)
def test_what_cannot_be_honoured_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, masks: str, told: str
) -> None:
    monkeypatch.setitem(sys.modules, "sb3_contrib", None)
    result = call("train", write_guess(tmp_path, ONE, masks), *SMALL, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert told in " ".join(result.stdout.split())
