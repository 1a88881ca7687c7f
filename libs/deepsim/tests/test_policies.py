# SPDX-License-Identifier: Apache-2.0
"""Trainings of several policies in the same worlds; skipped where the extra is not installed."""

from __future__ import annotations

import csv
import os
import pickle
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command_line import call, change, completed, require_same_files, rows_of, said

from deepsim_train import TrainedPolicy

pytest.importorskip(
    "stable_baselines3", reason="training is not tested: tox -e py311-train in libs/deepsim"
)

SMALL = ["--steps", "192", "--worlds", "2", "--set", "rollout=16", "--set", "minibatch=16"]
"""Three updates of two agents."""
MIXED = (
    (
        'agents = Agents(["puck", "disc"], BOX, BOX)',
        'agents = [Agents(["puck"], BOX, BOX), Agents(["disc"], BOX, Box(-0.5, 0.5, (1,)))]',
    ),
    ("actions[..., 0].astype", "np.concatenate(actions, axis=1)[..., 0].astype"),
    ("return np.clip(self.x", "seen = np.clip(self.x"),
    ("[..., None].astype(np.float32)", "[..., None]; return seen[:, :1], seen[:, 1:]"),
)
"""Changes after which two agents act in different spaces."""
RESULTS = ("policy_puck.npz", "policy_disc.npz", "progress.csv", "trajectory.csv")


def test_each_agent_has_a_policy_and_curves_of_its_own(array_task: Path, tmp_path: Path) -> None:
    """Each learns to act as much as it may, and one's networks are not the other's."""
    out = tmp_path / "out"
    options = ["--steps", 2048, "--set", "rollout=32", "--set", "learning_rate=0.02"]
    completed("train", array_task, *options, "--policies", "agent", "--out", out)
    assert {file.name for file in out.glob("[mp]o*")} == {
        "model_disc.zip", "model_puck.zip", "policy_disc.npz", "policy_puck.npz",
    }  # fmt: skip
    states = np.linspace(-1.0, 1.0, 9)[:, None]
    for agent in ("puck", "disc"):
        policy = TrainedPolicy.load(out / f"policy_{agent}.npz")
        assert policy.act(agent, states).min() > 0.8
    rows = rows_of(out)
    assert [row["steps"] for row in rows] == [str(256 * n) for n in range(1, 9)]
    for row in rows:
        assert float(row["reward/puck"]) == pytest.approx(-float(row["reward/disc"]))
        assert abs(float(row["reward"])) < 1e-6
    assert rows[-1]["train/value_loss/puck"] != rows[-1]["train/value_loss/disc"]


def test_policies_of_groups_have_spaces_of_their_own(array_task: Path, tmp_path: Path) -> None:
    """In the folder of the training each agent acts by its own, as array or as ONNX model."""
    change(array_task, *MIXED)
    out = tmp_path / "out"
    completed("train", array_task, *SMALL, "--policies", "group", "--no-video", "--out", out)
    disc = TrainedPolicy.load(out / "policy_disc.npz")
    assert disc.high is not None
    assert disc.high.tolist() == [0.5]
    completed("run", array_task, "--policy", out, "--seed", 0, "--out", tmp_path / "played",
                  "--episodes", 3)  # fmt: skip
    trajectories = [folder / "trajectory.csv" for folder in (out, tmp_path / "played")]
    assert trajectories[0].read_bytes() == trajectories[1].read_bytes()
    pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
    exported = completed("export", out)
    for name in ("puck", "disc"):
        model = out / f"policy_{name}.onnx"
        assert f"wrote {model}" in said(exported)
        again = tmp_path / name
        completed("run", array_task, "--policy", model, "--out", again, "--episodes", 3)
        for row, other in zip(
            csv.reader((again / "trajectory.csv").read_text().splitlines()),
            csv.reader(trajectories[0].read_text().splitlines()),
            strict=True,
        ):
            assert row[4] == other[4]
            if row[4] != "agent":
                assert float(row[-1]) == pytest.approx(float(other[-1]), abs=1e-5)
    (out / "policy_puck.onnx").rename(out / "policy_puk.onnx")
    refused = call("run", array_task, "--policy", out / "policy_puk.onnx")
    assert "has the name of no policy of its folder" in said(refused)
    assert "--out is the file of one policy" in said(call("export", out, "--out", "one.onnx"))


ACTS = """    def get_state(self):
        return self.last.copy(), self.x.copy()

    def set_state(self, state):
        self.last, self.x = (part.copy() for part in state)

    def act(self, actions):
        print("acts")
"""


@pytest.mark.parametrize(
    "more",
    [
        [
            *("--policies", "puck=p*", "--policies", "disc=d*"),
            *("--set", "evaluate=3", "--set", "evaluate_every=2"),
        ],
        ["--policies", "puck=puck", "--set", "self_play=2", "--set", "self_play_every=1"],
    ],
)
def test_a_training_that_is_killed_at_a_random_moment_goes_on_to_the_same_bytes(
    array_task: Path, tmp_path: Path, more: list[str]
) -> None:
    change(array_task, ("    def act(self, actions):\n", ACTS))
    options = [*SMALL, *more, "--steps", "640", "--set", "checkpoint=0", "--no-video"]
    command = ["-um", "deepsim", "train", str(array_task), *options]
    command += ["--out", str(tmp_path / "killed")]
    with subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        acts = (line for line in process.stdout if line == "acts\n")
        for _ in range(random.randrange(33, 100)):  # noqa: NPY002, RUF100 (each run tries another)
            next(acts)
        process.kill()
    completed("train", "--resume", tmp_path / "killed")
    completed("train", array_task, *options, "--out", tmp_path / "whole")
    names = [name for name in RESULTS if (tmp_path / "whole" / name).exists()]
    assert len(names) == (3 if "self_play=2" in more else 4)
    require_same_files(tmp_path / "killed", tmp_path / "whole", *names)
    if "evaluate=3" in more:
        assert "eval/reward/disc" in rows_of(tmp_path / "whole")[1]


def test_a_signal_keeps_all_policies(array_task: Path, tmp_path: Path) -> None:
    """It comes amid the second update, while the trainers share the worlds."""
    stops = "        import os, sys\n        sys.acts = getattr(sys, 'acts', 0) + 1\n"
    stops += "        if sys.acts == 23 and 'STOPS' in os.environ: os.kill(os.getpid(), 15)\n"
    change(array_task, ("    def act(self, actions):\n", ACTS + stops))
    command = ["-m", "deepsim", "train", str(array_task), *SMALL, "--policies", "agent", "--out"]
    out = tmp_path / "out"
    command = [sys.executable, *command, str(out)]
    stopping = {**os.environ, "STOPS": "1"}
    done = subprocess.run(command, env=stopping, capture_output=True, text=True)
    assert done.returncode == 143, done.stdout + done.stderr
    assert "stopped after 64 steps; the policy is kept" in " ".join(done.stdout.split())
    completed("train", "--resume", out)
    assert [row["steps"] for row in rows_of(out)] == ["64", "128", "192"]


def test_agents_that_do_not_learn_act_by_a_policy_of_the_task(
    array_task: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    options = [*SMALL, "--policies", "mine=disc", "--others", "chase"]
    completed("train", array_task, *options, "--out", out)
    assert (out / "policy_mine.npz").is_file()
    assert "reward/puck" not in rows_of(out)[0]
    completed("run", array_task, "--policy", out, "--out", tmp_path / "played")


def test_past_policies_are_those_of_each_learner(array_task: Path, tmp_path: Path) -> None:
    """Four agents of which two learn; the third acts by past policies of the first."""
    change(
        array_task,
        ('Agents(["puck", "disc"], BOX, BOX)', 'Agents(["puck", "disc", "a", "b"], BOX, BOX)'),
        ('select(["puck", "disc"])', 'select(["puck", "disc", "a", "b"])'),
        ('for name in ("puck", "disc")', 'for name in ("puck", "disc", "a", "b")'),
        ("np.zeros((len(world), 2))", "np.zeros((len(world), 4))"),
        ("uniform(-1.0, 1.0, 2)", "uniform(-1.0, 1.0, 4)"),
        ("return np.stack([lead, -lead], axis=1)", "return self.earned.copy()"),
        ("[:, None], 2, axis=1)", "[:, None], 4, axis=1)"),
    )
    out = tmp_path / "out"
    options = [*SMALL, "--policies", "one=puck", "--policies", "two=disc"]
    options += ["--set", "self_play=3", "--set", "self_play_every=1"]
    completed("train", array_task, *options, "--out", out)
    league = pickle.loads((out / "checkpoint.pkl").read_bytes())["league"]
    seen = np.full((1, 1), 0.5, np.float32)
    rngs = [np.random.default_rng(0)]
    for past in league["policies"]:
        acted = {
            agent: past.act(agent, seen, None, rngs)[0, 0] for agent in ("puck", "disc", "a", "b")
        }
        assert acted["a"] == acted["puck"] != acted["disc"] == acted["b"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--policies", "each"], "policies must be one of one, agent, group, or the agents of"),
        (["--policies", "red=puck", "--policies", "red=disc"], "each once, got 'red=disc'"),
        (["--policies", "red=pig"], "policy 'red' names 'pig', but agents are puck, disc"),
        (["--policies", "red=puck"], "agents ['disc'] belong to no policy: name one, or others="),
        (["--policies", "red=*", "--policies", "b=disc"], "belongs to the policies 'red' and 'b'"),
        (["--policies", "puck=disc"], "policy 'puck' has the name of an agent that is not its own"),
        (["--policies", "r/d=*"], "the name of a policy must be fit for a file name"),
        (["--policies", "agent", "--agent", "puck"], "agent says who learns, and so do policies"),
        (["--policies", "agent", "--set", "self_play=2"], "self_play needs agent, the one that"),
        (["--policies", "red=*", "--set", "self_play=2"], "self_play needs agents that do not"),
        (["--set", "policies=3"], "policies must be of type Policies, got 3"),
    ],
)  # fmt: skip
def test_policies_that_do_not_suit_are_said(
    array_task: Path, tmp_path: Path, options: list[str], message: str
) -> None:
    refused = call("train", array_task, *SMALL, *options, "--out", tmp_path / "out")
    assert refused.exit_code == 1
    assert message in said(refused)


def test_agents_of_a_policy_must_have_equal_spaces(array_task: Path, tmp_path: Path) -> None:
    change(array_task, *MIXED)
    refused = call("train", array_task, *SMALL, "--policies", "all=*", "--out", tmp_path / "out")
    assert "policy 'all' acts for 'puck' and 'disc', so their spaces must be equal" in said(refused)
    alone = ["--policies", "puck=puck", "--set", "self_play=1"]
    refused = call("train", array_task, *SMALL, *alone, "--out", tmp_path / "alone")
    assert "'disc' acts by past policies of 'puck', so their spaces must be equal" in said(refused)
