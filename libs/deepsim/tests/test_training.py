# SPDX-License-Identifier: Apache-2.0
"""What `deepsim train` writes, and that it learns; skipped where the extra is not installed."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import call, completed, rows_of, said

from deepsim_train import TrainedPolicy

PPO = pytest.importorskip(
    "stable_baselines3", reason="training is not tested: tox -e py311-train in libs/deepsim"
).PPO

WriteTask = Callable[..., Path]
SMALL = ["--steps", "96", "--worlds", "2", "--set", "rollout=16", "--set", "minibatch=16"]


@pytest.fixture
def pusher(write_task: WriteTask) -> Path:
    """A task whose agent earns what its action says, between -1 and 1 for each of 3 steps."""
    return write_task("self.add_reward(float(action[0]))")


def test_it_writes_all_results_to_a_folder_of_their_own(pusher: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = completed("train", pusher, *SMALL, "--seed", 3, "--out", out)
    names = {path.name.partition(".tfevents")[0] for path in out.iterdir()}
    assert names == {
        "config.json", "versions.json", "progress.csv", "timing.csv", "events.out",
        "learning_curve.png", "model.zip", "policy.npz", "trajectory.csv", "map.png",
        "checkpoint.pkl",
    }  # fmt: skip
    config = json.loads((out / "config.json").read_text())
    assert (config["steps"], config["seed"], config["rollout"]) == (96, 3, 16)
    versions = json.loads((out / "versions.json").read_text())
    assert {"torch", "stable-baselines3", "deepsim-envs"} <= versions["packages"].keys()
    rows = rows_of(out)
    assert [row["steps"] for row in rows] == ["32", "64", "96"]
    assert not {"seconds", "steps_per_second"} & rows[0].keys()
    assert "training" not in said(result)  # no bar where nobody watches
    assert f"to run it: deepsim run {pusher} --policy {out}" in said(result)
    again = call("train", pusher, *SMALL, "--out", out)
    assert again.exit_code == 1
    assert "is not empty" in said(again)


def test_the_same_seed_gives_the_same_bytes(pusher: Path, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "two", "other")]
    for folder, seed in zip(folders, (3, 3, 4), strict=True):
        completed("train", pusher, *SMALL, "--seed", seed, "--out", folder)
    for name in ("progress.csv", "trajectory.csv"):
        one, two, _ = ((folder / name).read_bytes() for folder in folders)
        assert one == two
    one, _, other = ((folder / "progress.csv").read_bytes() for folder in folders)
    assert one != other


SETTINGS = ("gamma=0.5", "gae_lambda=0.1", "clip_range=0.001", "entropy=0.5", "learning_rate=0.01",
            "epochs=2", "minibatch=8", "rollout=24", "log_std=-1", "normalize=false",
            "decay=true", "desired_kl=0.001", "hidden=[9]", "lstm=8")  # fmt: skip


def test_every_setting_of_learning_learns_something_else(pusher: Path, tmp_path: Path) -> None:
    """Or it would be ignored in silence."""
    learned = set()
    for number, setting in enumerate(("seed=0", *SETTINGS)):
        out = tmp_path / str(number)
        completed("train", pusher, *SMALL, "--steps", 64, "--set", setting, "--out", out)
        learned.add((out / "policy.npz").read_bytes())
    assert len(learned) == 1 + len(SETTINGS)


def test_each_agent_has_its_reward_where_they_add_up_to_zero(
    array_task: Path, tmp_path: Path
) -> None:
    """All agents of all worlds are slots of one environment."""
    out = tmp_path / "out"
    completed("train", array_task, *SMALL, "--worlds", 3, "--out", out)
    rows = rows_of(out)
    for row in rows:
        assert abs(float(row["reward"])) < 1e-6
        assert float(row["reward/puck"]) == pytest.approx(-float(row["reward/disc"]))
        assert float(row["reward/puck"]) != 0.0
        assert 2.0 <= float(row["end/last"]) <= 4.0
    assert [row["steps"] for row in rows] == ["96"]


@pytest.mark.parametrize("options", [[], ["--policies", "agent"]])
def test_the_level_of_a_curriculum_is_a_curve(
    array_task: Path, tmp_path: Path, options: list[str]
) -> None:
    """A level up after each episode; the mean is that of the latest episodes at their ends."""
    hook = "    def info(self):\n"
    source = (array_task / "__init__.py").read_text()
    assert hook in source
    climb = "    def next_level(self, worlds):\n        return self.level[worlds] + 1\n\n"
    (array_task / "__init__.py").write_text(source.replace(hook, climb + hook))
    out = tmp_path / "out"
    completed("train", array_task, *SMALL, *options, "--out", out)
    with (out / "progress.csv").open() as file:
        levels = [float(row["end/level"]) for row in csv.DictReader(file)]
    assert 0.0 < levels[0] < levels[-1]


@pytest.mark.parametrize("options", [[], ["--agent", "disc", "--others", "chase"]])
def test_reward_terms_are_curves_of_each_agent(
    array_task: Path, tmp_path: Path, options: list[str]
) -> None:
    """Their sums over an episode, of learning and of evaluation episodes."""
    source = (array_task / "__init__.py").read_text()
    old = "return np.stack([lead, -lead], axis=1)"
    assert old in source
    new = "return {'lead': np.stack([lead, -lead], axis=1), 'time': np.full((len(lead), 2), -0.5)}"
    source = source.replace(old, new).replace(
        "BOX, BOX)", "BOX, BOX); reward_terms = ['lead', 'time']"
    )
    (array_task / "__init__.py").write_text(source)
    out = tmp_path / "out"
    completed("train", array_task, *SMALL, *options, "--set", "evaluate=1", "--out", out,
                  "--set", "evaluate_every=1")  # fmt: skip
    with (out / "progress.csv").open() as file:
        rows = [
            {key: float(value or 0) for key, value in row.items()} for row in csv.DictReader(file)
        ]
    for row in rows:
        assert row["return/lead"] + row["return/time"] == pytest.approx(row["reward"], abs=1e-6)
        assert row["return/time"] == pytest.approx(-0.5 * row["length"], abs=1e-6)
        assert row["eval/return/time"] == pytest.approx(-0.5 * row["eval/length"], abs=1e-6)
        for agent in () if options else ("puck", "disc"):
            own = row[f"return/lead/{agent}"] + row[f"return/time/{agent}"]
            assert own == pytest.approx(row[f"reward/{agent}"])
        if options:
            assert not any(key.count("/") == 2 for key in row if not key.startswith("eval/"))
    assert not any("end/re" in key for key in rows[0])
    events = tensorboard_tags(out)
    assert {"return/lead", "return/time", "eval/return/lead"} <= events


def tensorboard_tags(folder: Path) -> set[str]:
    from tensorboard.backend.event_processing.event_accumulator import (  # noqa: PLC0415 (of an extra)
        EventAccumulator,
    )

    read = EventAccumulator(str(folder))
    read.Reload()
    return set(read.Tags()["scalars"])


def test_one_of_the_agents_learns_among_policies_on_arrays(
    array_task: Path, tmp_path: Path
) -> None:
    options = [*SMALL, "--agent", "disc", "--others", "chase", "--out", tmp_path / "out"]
    completed("train", array_task, *options)
    header = (tmp_path / "out" / "progress.csv").read_text().partition("\n")[0]
    assert "reward/" not in header


def test_ctrl_c_keeps_the_policy_and_runs_nothing(write_task: WriteTask, tmp_path: Path) -> None:
    stop = "import sys; sys.stop = getattr(sys, 'stop', 0) + 1\n"
    stop += "        if sys.stop > 70: del sys.stop; raise KeyboardInterrupt"
    out = tmp_path / "out"
    result = call("train", write_task(stop), *SMALL, "--out", out)
    assert result.exit_code == 130, result.output
    assert re.search(r"stopped after \d+ steps; the policy is kept", said(result))
    assert TrainedPolicy.load(out / "policy.npz").shape == (1,)
    assert (out / "progress.csv").is_file()
    assert not (out / "trajectory.csv").exists()
    assert f"--policy {out}" in said(result)


def test_it_learns_and_run_plays_what_was_learned(pusher: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    options = ["--steps", 2048, "--set", "rollout=64", "--set", "learning_rate=0.01"]
    result = completed("train", pusher, *options, "--out", out, "--json")
    trained = json.loads(result.stdout)
    assert trained["folder"] == str(out)
    assert [episode["rewards"]["puck"] > 2.5 for episode in trained["episodes"]] == [True] * 3
    played = call(
        "run", pusher, "--policy", out, "--episodes", 3, "--json", "--out", tmp_path / "played"
    )
    assert json.loads(played.stdout)["episodes"] == trained["episodes"]


def test_the_learning_rate_falls_if_it_should(pusher: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    options = [*SMALL, "--set", "decay=true", "--set", "learning_rate=0.01"]
    completed("train", pusher, *options, "--out", out)
    with (out / "progress.csv").open() as file:
        rates = [row["train/learning_rate"] for row in csv.DictReader(file)]
    rates = [float(rate) for rate in rates if rate]
    assert rates == sorted(rates, reverse=True)
    assert 0.0 < rates[-1] < rates[0] < 0.01


def test_a_rate_that_has_fallen_to_zero_changes_nothing(pusher: Path, tmp_path: Path) -> None:
    """Steps are rounded up to a whole rollout, beyond the end of the fall."""
    for epochs in (1, 3):
        options = [*SMALL, "--steps", 1, "--set", "decay=true", "--set", f"epochs={epochs}"]
        completed("train", pusher, *options, "--out", tmp_path / str(epochs))
    one, three = ((tmp_path / name / "policy.npz").read_bytes() for name in ("1", "3"))
    assert one == three


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--agent", "ghost"], "agent must be one of ['puck'], got 'ghost'"),
        (["--agent", "puck", "--others", "expert"], "pucks has no policy 'expert'; it has random"),
    ],
)
def test_who_cannot_be_trained_is_one_line(
    write_task: WriteTask, tmp_path: Path, options: list[str], message: str
) -> None:
    result = call("train", write_task(), *options, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert message in said(result)


def test_one_of_several_agents_needs_a_policy_of_the_others(
    write_task: WriteTask, tmp_path: Path
) -> None:
    task = write_task(
        "pass",
        ('{"puck": SPACE}', '{"puck": SPACE, "it": SPACE}'),
        ("self.puck = ", 'self.it = Puck("it", world=world); self.puck = '),
        ("[self.puck]", "[self.puck, self.it]"),
    )
    result = call("train", task, *SMALL, "--agent", "puck", "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "error: --agent puck needs --others, the policy of all other agents" in said(result)
