# SPDX-License-Identifier: Apache-2.0
"""Trainings in which only the value function reads some keys, and whose learning rate adapts."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import call, completed, require_same_files, rows_of
from numpy.typing import NDArray

from deepsim_train import load_policy

sb3_contrib = pytest.importorskip(
    "sb3_contrib", reason="training is not tested: tox -e py311-train in libs/deepsim"
)
PPO = pytest.importorskip("stable_baselines3").PPO
torch = pytest.importorskip("torch")

TASK = """
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary
from deepsim import Agents, Area, Environment, Task, World
from deepsim_sync.testing import TableSimulator

MASKED = False
SEEN = {"scan": Box(-1.0, 1.0, (3,)), "luck": Box(-1.0, 1.0, (2,))}
MASK = {"action_mask": MultiBinary(2)} if MASKED else {}

class Lottery(Area):
    '''Earns what the agent drew at the beginning of its episode, whatever it does.'''

    agents = Agents(
        ["red", "blue"], Dict({**SEEN, **MASK}),
        Discrete(2) if MASKED else Box(-1.0, 1.0, (1,)), privileged=PRIVILEGED
    )

    def __init__(self, world):
        super().__init__(world)
        self.luck, self.scan = np.zeros((len(world), 2, 2)), np.zeros((len(world), 2, 3))

    def reset(self, worlds):
        self.luck[worlds] = self.world.uniform(-1.0, 1.0, (2, 2), worlds)
        self.act(None)

    def act(self, actions):
        self.scan[self.stepping] = self.world.uniform(-1.0, 1.0, (2, 3), self.stepping)

    def observe(self):
        mask = {"action_mask": np.ones((*self.luck.shape[:2], 2), np.int8)} if MASKED else {}
        seen = {"scan": self.scan, "luck": self.luck, **mask}
        return {key: part.astype(SEEN[key].dtype) if key in SEEN else part
                for key, part in seen.items()}

    def reward(self):
        return self.luck[..., 0]

def make(worlds=1, seed=0):
    world = World(TableSimulator(worlds=worlds))
    return Environment(Lottery(world), max_episode_steps=4, seed=seed)

TASK = Task("lottery", make)
"""
SMALL = ["--worlds", 2, "--no-video", "--set", "rollout=8", "--set", "minibatch=16"]
SMALL += ["--set", "epochs=2", "--episodes", 1]


def write_lottery(folder: Path, privileged: str = '["luck"]', masked: bool = False) -> Path:
    task = folder / "lottery"
    task.mkdir()
    text = TASK.replace("PRIVILEGED", privileged).replace("MASKED = False", f"MASKED = {masked}")
    (task / "__init__.py").write_text(text)
    return task


def observations(rng: np.random.Generator, masked: bool) -> dict[str, NDArray[Any]]:
    seen = {"luck": rng.uniform(-1.0, 1.0, (40, 2)), "scan": rng.uniform(-1.0, 1.0, (40, 3))}
    mask = {"action_mask": np.ones((40, 2), np.int8)} if masked else {}
    return {**mask, **{key: part.astype(np.float32) for key, part in seen.items()}}


@pytest.mark.parametrize("kind", ["plain", "masked", "lstm"])
def test_its_policy_never_reads_a_privileged_key(tmp_path: Path, kind: str) -> None:
    """Its actions keep their bits when the key changes or is missing; its values do not."""
    masked, out = kind == "masked", tmp_path / "out"
    task = write_lottery(tmp_path, masked=masked)
    options = ["--set", "lstm=8"] if kind == "lstm" else []
    completed("train", task, *SMALL, *options, "--steps", 64, "--out", out)
    rng = np.random.default_rng(3)
    seen = observations(rng, masked)
    other = {**seen, "luck": rng.uniform(-1.0, 1.0, (40, 2)).astype(np.float32)}
    without = {key: part for key, part in seen.items() if key != "luck"}
    policy = load_policy(out / "policy.npz")
    acted = [
        policy.step("red", each, None, None)[0] if kind == "lstm" else policy.act("red", each)
        for each in (seen, other, without)
    ]
    assert acted[0].tobytes() == acted[1].tobytes() == acted[2].tobytes()
    file = out / "model.zip"
    if kind == "lstm":
        model = sb3_contrib.RecurrentPPO.load(file)
        states = torch.zeros(1, 40, 8), torch.zeros(1, 40, 8)
        more: tuple[Any, ...] = (states, torch.ones(40))
    else:
        model, more = (sb3_contrib.MaskablePPO if masked else PPO).load(file), ()
    tensors = [
        {key: torch.from_numpy(part) for key, part in each.items()} for each in (seen, other)
    ]
    values = [model.policy.predict_values(each, *more) for each in tensors]
    assert (values[0] != values[1]).all()
    found = [model.policy.get_distribution(each, *more) for each in tensors]
    drawn = [(each[0] if kind == "lstm" else each).mode() for each in found]
    assert torch.equal(*drawn)
    changed = {**seen, "scan": -seen["scan"]}
    scanned = policy.step("red", changed, None, None)[0] if kind == "lstm" else None
    if kind == "plain":
        scanned = policy.act("red", changed)
    assert masked or scanned.tobytes() != acted[0].tobytes()


def test_what_it_trained_is_run_exported_and_resumed(tmp_path: Path) -> None:
    """The model of ONNX earns what the arrays earn; a resumed run gives the same bytes."""
    task, out, whole = write_lottery(tmp_path), tmp_path / "out", tmp_path / "whole"
    options = [*SMALL, "--set", "desired_kl=0.01", "--set", "evaluate=2"]
    options += ["--set", "evaluate_every=1"]
    completed("train", task, *options, "--steps", 64, "--out", out)
    completed("export", out)
    rewards = []
    for number, policy in enumerate((out, out / "policy.onnx")):
        folder = tmp_path / f"played_{number}"
        played = completed("run", task, "--policy", policy, "--json", "--out", folder)
        rewards.append([each["rewards"] for each in json.loads(played.stdout)["episodes"]])
    assert rewards[0] == rewards[1]
    completed("train", "--resume", out, "--steps", 128)
    completed("train", task, *options, "--steps", 128, "--out", whole)
    require_same_files(out, whole, "policy.npz", "progress.csv")
    assert "eval/reward" in rows_of(out)[0]


@pytest.mark.parametrize("known", [True, False])
def test_only_with_the_key_the_value_function_foresees_rewards(tmp_path: Path, known: bool) -> None:
    """The rewards of an episode follow from its luck alone: without it little is explained."""
    task, out = write_lottery(tmp_path), tmp_path / "out"
    if not known:
        text = (task / "__init__.py").read_text()
        (task / "__init__.py").write_text(
            text.replace('"luck": self.luck', '"luck": 0 * self.luck')
        )
    options = ["--steps", 8192, "--worlds", 8, "--no-video", "--episodes", 1]
    options += ["--set", "rollout=64", "--set", "learning_rate=0.005"]
    completed("train", task, *options, "--out", out)
    explained = float(rows_of(out)[-1]["train/explained_variance"])
    assert explained > 0.8 if known else explained < 0.5


@pytest.mark.parametrize(
    ("privileged", "masked", "told"),
    [
        ('["lukc"]', False, "got 'lukc' for 'red': the observation has 'luck', 'scan'"),
        ('["luck", "scan"]', False, "its policy would see nothing"),
        ('["action_mask"]', True, "'action_mask' cannot be privileged: the policy obeys it"),
    ],
)
def test_keys_that_cannot_be_privileged_are_named(
    tmp_path: Path, privileged: str, masked: bool, told: str
) -> None:
    task = write_lottery(tmp_path, privileged, masked)
    result = call("train", task, *SMALL, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert told in " ".join(result.output.split())


def test_the_learning_rate_follows_the_divergence_of_updates(tmp_path: Path) -> None:
    """It is divided or multiplied by 1.5, as rsl-rl says, until updates diverge as desired."""
    options = ["--steps", 20480, "--worlds", 8, "--no-video", "--episodes", 1]
    options += [
        "--set",
        "rollout=32",
        "--set",
        "epochs=5",
        "--set",
        "learning_rate=0.01",
        "--set",
        "desired_kl=0.002",
    ]
    completed("train", write_lottery(tmp_path), *options, "--out", tmp_path / "out")
    rows = [
        (float(row["train/learning_rate"]), float(row["train/approx_kl"]))
        for row in rows_of(tmp_path / "out")
        if row["train/approx_kl"]
    ]
    assert rows[0][0] == 0.01
    for (rate, kl), (following, _) in itertools.pairwise(rows):
        factor = 1.0 / 1.5 if kl > 0.004 else 1.5 if kl < 0.001 else 1.0
        assert following == pytest.approx(min(rate * factor, 0.01), rel=1e-4)
    assert rows[0][1] > 0.004
    assert 0.0005 < np.median([kl for _, kl in rows[-20:]]) < 0.008


def test_a_rate_either_falls_or_adapts(tmp_path: Path) -> None:
    options = ["--set", "decay=true", "--set", "desired_kl=0.01"]
    result = call("train", write_lottery(tmp_path), *options, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "desired_kl adapts it: set one" in " ".join(result.output.split())
