# SPDX-License-Identifier: Apache-2.0
"""`deepsim dataset` writes the episodes of `deepsim run`; skipped where Minari is missing."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from command_line import call, completed, said

from deepsim import load_task
from deepsim_envs import Recorder

pytest.importorskip("h5py")
minari = pytest.importorskip(
    "minari", reason="datasets are not tested: tox -e py311-train in libs/deepsim"
)


@pytest.fixture(autouse=True)
def datasets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Minari's folder of all datasets."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "datasets"))
    return tmp_path / "datasets"


def test_its_episodes_are_those_of_run(array_task: Path, datasets: Path, tmp_path: Path) -> None:
    options = ["--policy", "chase", "--episodes", 2, "--worlds", 3, "--seed", 5]
    result = completed("dataset", array_task, *options)
    folder = datasets / "deepsim" / "slides" / "chase-v0"
    assert f"wrote {folder}" in said(result)
    found = minari.load_dataset("deepsim/slides/chase-v0")
    assert f"deepsim/slides/chase-v0: 12 episodes, {found.total_steps} steps" in said(result)
    played = call("run", array_task, *options, "--json", "--out", tmp_path / "out")
    episodes = json.loads(played.stdout)["episodes"]
    expected = sorted(
        (agent, each["world"], each["steps"], reward)
        for each in episodes
        for agent, reward in each["rewards"].items()
    )
    known = found.storage.get_episode_metadata(range(12))
    assert expected == sorted(
        (told["agent"], told["world"], len(episode), sum(episode.rewards.tolist()))
        for told, episode in zip(known, found.iterate_episodes(), strict=True)
    )
    assert found.observation_space == found.action_space
    assert all(episode.terminations[-1] for episode in found.iterate_episodes())


def test_one_agent_has_a_dataset_where_it_is_asked_for(array_task: Path, tmp_path: Path) -> None:
    options = ["--agent", "disc", "--id", "discs-v3", "--root", tmp_path / "own"]
    completed("dataset", array_task, *options)
    found = minari.MinariDataset(tmp_path / "own" / "discs-v3" / "data")
    told = list(found.storage.get_episode_metadata(range(10)))
    assert [each["agent"] for each in told] == ["disc"] * 10
    assert len({each["seed"] for each in told}) == 10


def test_its_environment_is_recovered_and_its_infos_are_there(
    write_task: Callable[..., Path], tmp_path: Path
) -> None:
    """The environment comes back in another process, and each step has what the info said."""
    area = ("return {}", 'return {"puck": {"success": self.puck.step_count > 1, "word": "a"}}')
    task = write_task("self.step_count = getattr(self, 'step_count', 0) + 1", area)
    text = (
        (task / "__init__.py")
        .read_text()
        .replace("self.puck.step_count", "getattr(self.puck, 'step_count', 0)")
    )
    (task / "__init__.py").write_text(text)
    completed("dataset", task, "--id", "pucks-v0", "--episodes", 1)
    found = minari.load_dataset("pucks-v0")
    (episode,) = found.iterate_episodes()
    assert episode.infos["success"].tolist() == [False, False, True, True]
    assert "word" not in episode.infos
    program = (
        "import minari; env = minari.load_dataset('pucks-v0').recover_environment(); "
        "print(env.unwrapped.agent, env.observation_space, env.reset(seed=3)[0])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.endswith("puck Box(-1.0, 1.0, (1,), float32) [0.]\n"), done.stderr


@pytest.mark.parametrize("agents", ["puck,disc", "*", "puck, di*"])
def test_a_group_of_agents_is_one_dataset(array_task: Path, tmp_path: Path, agents: str) -> None:
    options = ["--agent", agents, "--id", "both-v0", "--root", tmp_path, "--episodes", 2]
    completed("dataset", array_task, *options)
    found = minari.MinariDataset(tmp_path / "both-v0" / "data")
    told = [each["agent"] for each in found.storage.get_episode_metadata(range(4))]
    assert sorted(told) == ["disc", "disc", "puck", "puck"]


def test_recorded_episodes_become_a_dataset(array_task: Path, tmp_path: Path) -> None:
    file = tmp_path / "episodes.jsonl"
    rewards = []
    environment = load_task(array_task).environment()
    with environment, Recorder(environment, file) as recorder:
        for seed in (3, 9):
            seen, _ = recorder.reset(seed)
            while seen:
                step = recorder.step({agent: np.full(1, 0.5, np.float32) for agent in seen})
                rewards.append(step.reward["puck"])
                seen = {name: each for name, each in seen.items() if not step.done.get(name, True)}
    completed("dataset", array_task, "--replay", file, "--agent", "puck")
    found = list(minari.load_dataset("deepsim/slides/recorded-v0").iterate_episodes())
    assert np.concatenate([episode.rewards for episode in found]).tolist() == rewards
    assert {action for episode in found for action in episode.actions.ravel().tolist()} == {0.5}


def test_a_dataset_that_exists_stays(array_task: Path, datasets: Path) -> None:
    completed("dataset", array_task, "--id", "mine-v0")
    before = {path: path.read_bytes() for path in datasets.rglob("*") if path.is_file()}
    again = call("dataset", array_task, "--id", "mine-v0", "--seed", 3)
    assert again.exit_code == 1
    assert "the dataset mine-v0 exists, and is never overwritten" in said(again)
    assert {path: path.read_bytes() for path in datasets.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--agent", "ghost"], "agent must be one of ['puck', 'disc'], got 'ghost'"),
        (["--policy", "expert"], "slides has no policy 'expert'"),
        (["--id", "no version"], "cannot write the dataset no version"),
        (["--replay", "nowhere.jsonl"], "cannot read nowhere.jsonl: No such file or directory"),
    ],
)
def test_mistakes_are_one_line_and_write_nothing(
    array_task: Path, datasets: Path, options: list[str], message: str
) -> None:
    result = call("dataset", array_task, *options)
    assert result.exit_code == 1
    assert message in said(result)
    assert not [path for path in datasets.rglob("*") if path.is_file()]


def test_a_signal_writes_nothing(write_task: Callable[..., Path], datasets: Path) -> None:
    task = write_task("import os; os.kill(os.getpid(), 15)")
    assert call("dataset", task).exit_code == 143
    assert not [path for path in datasets.rglob("*") if path.is_file()]


def test_without_the_extra_it_says_what_to_type(
    array_task: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "minari", None)  # as if it were not installed
    monkeypatch.delitem(sys.modules, "deepsim_train.minari", raising=False)
    result = call("dataset", array_task)
    assert result.exit_code == 1
    assert (
        said(result)
        == "error: datasets need an extra: pip install --find-links dist 'deepsim[dataset]'"
    )
