# SPDX-License-Identifier: Apache-2.0
"""Policies that remember their episode; skipped where the extra is not installed."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from command_line import call, completed, require_same_files, rows_of, said

from deepsim import load_task
from deepsim_train.policies.slot_policy import slot_policy
from deepsim_train.policies.trained_policy import RecurrentPolicy, load_policy

RecurrentPPO = pytest.importorskip(
    "sb3_contrib", reason="training is not tested: tox -e py311-train in libs/deepsim"
).RecurrentPPO

TASK = """
import os
import sys

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary
from deepsim import Agents, Area, Environment, Task, World
from deepsim_sync.testing import TableSimulator

ACTED = Box(-1.0, 1.0, (1,))

class Recall(Area):
    \"\"\"The first observation shows a sign; the last of three actions must have it.\"\"\"

    agents = Agents(["left", "right"], Box(-1.0, 1.0, (1,)), ACTED)

    def __init__(self, world):
        super().__init__(world)
        self.sign, self.earned = np.zeros((2, len(world), 2))
        self.step = np.zeros((len(world), 1), np.int64)

    def reset(self, worlds):
        self.sign[worlds] = np.sign(self.world.uniform(-1.0, 1.0, 2, worlds))
        self.step[worlds] = 0

    def act(self, actions):
        sys.acts = getattr(sys, "acts", 0) + 1
        if sys.acts == STOP: os.kill(os.getpid(), 15)
        acted = actions[..., 0] if ACTED.shape else actions - 0.5
        self.earned = np.where(self.step == 2, np.sign(acted) * self.sign, 0.0)
        self.step = self.step + 1

    def observe(self):
        return np.where(self.step == 0, self.sign, 0.0)[..., None]

    def reward(self):
        return self.earned

    def terminated(self):
        return np.repeat(self.step == 3, 2, axis=1)

def make(worlds=1, seed=0):
    return Environment(Recall(World(TableSimulator(worlds=worlds))), seed=seed)

TASK = Task("recall", make)
"""
SMALL = [
    "--steps",
    192,
    "--worlds",
    2,
    "--no-video",
    "--set",
    "rollout=16",
    "--set",
    "minibatch=16",
]
SMALL += ["--set", "lstm=4", "--set", "hidden=[8]"]
SIGNS = "Box(-1.0, 1.0, (1,))"
ALLOWED = "np.ones((len(self.sign), 2, 2), np.int8)"
MASKED = (
    (f"{SIGNS}, ACTED)", f"Dict(seen={SIGNS}, action_mask=MultiBinary(2)), Discrete(2))"),
    ("ACTED = Box(-1.0, 1.0, (1,))", "ACTED = Discrete(2)"),
    (
        "return np.where(self.step == 0, self.sign, 0.0)[..., None]",
        f"return {{'seen': self.sign[..., None], 'action_mask': {ALLOWED}}}",
    ),
)
"""Changes after which a mask allows both signs."""


@pytest.fixture
def task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A task that needs a memory; it stops itself at the act `sys.acts` of 1000."""
    folder = tmp_path / "recall"
    folder.mkdir()
    (folder / "__init__.py").write_text(TASK.replace("STOP", "1000"))
    monkeypatch.setattr(sys, "acts", 1000, raising=False)
    return folder


def test_it_learns_what_only_a_memory_can(task: Path, tmp_path: Path) -> None:
    """Without one, half of all signs would be wrong; and it plays without torch."""
    out = tmp_path / "out"
    options = ["--steps", 12288, "--worlds", 8, "--no-video", "--set", "lstm=16", "--set", "seed=1"]
    options += ["--set", "hidden=[16]", "--set", "rollout=48", "--set", "learning_rate=0.01"]
    completed("train", task, *options, "--set", "evaluate=20", "--set", "evaluate_every=4",
                  "--out", out)  # fmt: skip
    rows = rows_of(out)
    assert float(rows[-1]["eval/reward"]) > 0.95
    played = completed("run", task, "--policy", out, "--worlds", 3, "--episodes", 5, "--json",
                  "--out", tmp_path / "played")  # fmt: skip
    with (tmp_path / "played" / "trajectory.csv").open() as file:
        assert len(list(file)) == 1  # its agents have no bodies
    assert played.stdout.count('"left": 1.0') + played.stdout.count('"right": 1.0') >= 28


def test_its_actions_are_those_of_the_model(task: Path, tmp_path: Path) -> None:
    """Of two agents through several episodes, in several worlds or alone."""
    out = tmp_path / "out"
    completed("train", task, *SMALL, "--set", "normalize=false", "--out", out)
    policy = load_policy(out / "policy.npz")
    assert isinstance(policy, RecurrentPolicy)
    model = RecurrentPPO.load(out / "model.zip", device="cpu")
    environment = load_task(task).environment(worlds=2)
    act = slot_policy(policy, environment, 0)
    for seed in (3, 4):
        seen, _ = environment.reset(seed)
        state, starts = None, np.ones(4, np.bool_)
        for _ in range(3):
            rows = np.stack([seen[slot] for slot in environment.slots])
            expected, state = model.predict(rows, state, starts, deterministic=True)
            starts = np.zeros(4, np.bool_)
            actions = act(seen)
            for row, slot in enumerate(environment.slots):
                np.testing.assert_allclose(actions[slot], expected[row], atol=1e-5)
            seen = environment.step(actions).observation


@pytest.mark.parametrize("more", [[], ["--policies", "agent", "--set", "evaluate=2"]])
def test_a_stopped_training_goes_on_to_the_same_bytes(
    task: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: list[str]
) -> None:
    monkeypatch.setattr(sys, "acts", 1000 - 41)
    stopped = call("train", task, *SMALL, *more, "--out", tmp_path / "stopped")
    assert stopped.exit_code == 143, stopped.output
    completed("train", "--resume", tmp_path / "stopped")
    completed("train", task, *SMALL, *more, "--out", tmp_path / "whole")
    names = ["policy_left.npz", "policy_right.npz"] if more else ["policy.npz"]
    require_same_files(tmp_path / "stopped", tmp_path / "whole", *names, "progress.csv")


@pytest.mark.parametrize(
    "more",
    [
        ["--agent", "left", "--set", "evaluate=2"],
        ["--policies", "one=left", "--set", "evaluate=2"],
    ],
)
def test_self_play_against_past_memories_goes_on_to_the_same_bytes(
    task: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: list[str]
) -> None:
    """Stopped amid an episode, in which past policies remember its first observation."""
    options = [*SMALL, *more, "--set", "self_play=2", "--set", "self_play_every=1"]
    monkeypatch.setattr(sys, "acts", 1000 - 61)
    stopped = call("train", task, *options, "--out", tmp_path / "stopped")
    assert stopped.exit_code == 143, stopped.output
    completed("train", "--resume", tmp_path / "stopped")
    completed("train", task, *options, "--out", tmp_path / "whole")
    name = "policy_one.npz" if "--policies" in more else "policy.npz"
    require_same_files(tmp_path / "stopped", tmp_path / "whole", name, "progress.csv")
    out = tmp_path / "played"
    completed("run", task, "--policy", tmp_path / "whole", "--worlds", 2, "--out", out)


def test_beside_the_task_it_is_its_policy_and_as_onnx_it_acts_alike(
    task: Path, tmp_path: Path
) -> None:
    """The memory is an input and an output of the model."""
    pytest.importorskip("onnx", reason="the extra onnx is not installed")
    pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
    from deepsim_train.policies.onnx_policy import load_onnx  # noqa: PLC0415 (an extra)

    out = tmp_path / "out"
    completed("train", task, *SMALL, "--out", out)
    completed("export", out)
    (task / "policy.npz").write_bytes((out / "policy.npz").read_bytes())
    for policy in ("trained", out / "policy.onnx"):
        completed("run", task, "--policy", policy, "--out", tmp_path / Path(policy).name)
    environment = load_task(task).environment(worlds=2)
    one = slot_policy(load_policy(out / "policy.npz"), environment, 0)
    other = slot_policy(load_onnx(out / "policy.onnx"), environment, 0)
    late = set()
    for seed in range(3, 9):
        seen, _ = environment.reset(seed)
        for step in range(3):
            actions, expected = other(seen), one(seen)
            for slot in environment.slots:
                np.testing.assert_allclose(actions[slot], expected[slot], atol=1e-6)
                late |= {float(actions[slot][0])} if step == 2 else set()
            seen = environment.step(actions).observation
    assert len(late) > 1  # by the memory of the first observation alone


def test_what_no_algorithm_combines_is_said(task: Path, tmp_path: Path) -> None:
    source = (task / "__init__.py").read_text()
    for old, new in MASKED:
        assert old in source
        source = source.replace(old, new)
    (task / "__init__.py").write_text(source)
    refused = call("train", task, *SMALL, "--out", tmp_path / "out")
    assert "the task masks actions, which PPO with a memory does not obey: set lstm=0" in said(
        refused
    )
