# SPDX-License-Identifier: Apache-2.0
"""Trainings that are stopped at any moment go on to the bytes of an unbroken one."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from command_line import call, completed, require_same_files, said

from deepsim_train import TrainedPolicy
from deepsim_train.training.run_folder import one_writer

pytest.importorskip(
    "stable_baselines3", reason="training is not tested: tox -e py311-train in libs/deepsim"
)

WriteTask = Callable[..., Path]
SMALL = ["--steps", "160", "--worlds", "2", "--set", "rollout=16", "--set", "minibatch=16"]
"""Five updates."""
RESULTS = ("policy.npz", "progress.csv", "trajectory.csv")

STOPS = """import os, sys
        sys.acts = getattr(sys, "acts", 0) + 1
        if sys.acts == {act}: os.kill(os.getpid(), {number})
        self.add_reward(float(action[0]))"""


@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)],
)
def test_a_signal_at_a_random_moment_loses_nothing(
    write_task: WriteTask,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    number: signal.Signals,
    status: int,
) -> None:
    """Those that come before the end of the first update too."""
    moment = random.randrange(1, 160)  # noqa: NPY002, RUF100 (each run tries another)
    task = write_task(STOPS.format(act=moment, number=int(number)))
    before = signal.getsignal(number)
    monkeypatch.setattr(sys, "acts", 0, raising=False)
    stopped = call("train", task, *SMALL, "--seed", 3, "--out", tmp_path / "stopped")
    assert stopped.exit_code == status, (moment, stopped.output)
    assert signal.getsignal(number) == before
    assert TrainedPolicy.load(tmp_path / "stopped" / "policy.npz").shape == (1,)
    assert f"stopped after {(moment - 1) // 32 * 32} steps" in said(stopped)
    assert f"to go on: deepsim train --resume {tmp_path / 'stopped'}" in said(stopped)
    completed("train", "--resume", tmp_path / "stopped")
    completed("train", task, *SMALL, "--seed", 3, "--out", tmp_path / "whole")
    require_same_files(tmp_path / "stopped", tmp_path / "whole", *RESULTS)


def test_a_process_that_is_killed_goes_on_from_its_checkpoint(
    array_task: Path, tmp_path: Path
) -> None:
    """SIGKILL leaves no time to write anything; all agents are slots of one environment."""
    file = array_task / "__init__.py"
    file.write_text(file.read_text().replace("    def act(self, actions):\n", ACTS))
    options = [*SMALL, "--steps", "640", "--set", "checkpoint=0", "--no-video"]
    command = ["-um", "deepsim", "train", str(array_task), *options]
    command += ["--out", str(tmp_path / "killed")]
    with subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        acts = (line for line in process.stdout if line == "acts\n")
        for _ in range(random.randrange(17, 100)):  # noqa: NPY002, RUF100 (as above)
            next(acts)
        process.kill()
    assert TrainedPolicy.load(tmp_path / "killed" / "policy.npz").shape == (1,)
    completed("train", "--resume", tmp_path / "killed")
    completed("train", array_task, *options, "--out", tmp_path / "whole")
    require_same_files(tmp_path / "killed", tmp_path / "whole", *RESULTS)


ACTS = """    def get_state(self):
        return self.last.copy(), self.x.copy()

    def set_state(self, state):
        self.last, self.x = (part.copy() for part in state)

    def act(self, actions):
        print("acts")
"""


def test_one_of_several_agents_goes_on_among_policies_on_arrays(
    array_task: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The generators of the others go on as well."""
    file = array_task / "__init__.py"
    stops = ACTS + "        import os, sys\n        sys.acts = getattr(sys, 'acts', 0) + 1\n"
    stops += "        if sys.acts == 41: os.kill(os.getpid(), 15)\n"
    file.write_text(file.read_text().replace("    def act(self, actions):\n", stops))
    options = [*SMALL, "--agent", "disc", "--others", "chase"]
    monkeypatch.setattr(sys, "acts", 0, raising=False)
    assert call("train", array_task, *options, "--out", tmp_path / "stopped").exit_code == 143
    completed("train", "--resume", tmp_path / "stopped")
    completed("train", array_task, *options, "--out", tmp_path / "whole")
    require_same_files(tmp_path / "stopped", tmp_path / "whole", *RESULTS)


def test_a_training_can_go_on_for_longer(write_task: WriteTask, tmp_path: Path) -> None:
    """The same bytes as one that was as long from the beginning."""
    task = write_task("self.add_reward(float(action[0]))")
    completed("train", task, *SMALL, "--out", tmp_path / "longer")
    completed("train", "--resume", tmp_path / "longer", "--steps", 224)
    completed("train", task, *SMALL, "--steps", 224, "--out", tmp_path / "long")
    require_same_files(tmp_path / "longer", tmp_path / "long", *RESULTS)


def test_the_file_of_a_run_reproduces_it(write_task: WriteTask, tmp_path: Path) -> None:
    """Evaluations take no random numbers of the training."""
    task = write_task("self.add_reward(float(action[0]))")
    file = tmp_path / "settings.yaml"
    file.write_text("gamma: 0.9\nhidden: [8, 8]\nevaluate: 4\nevaluate_every: 2\nseed: 5\n")
    completed("train", task, *SMALL, "--config", file, "--out", tmp_path / "first")
    config = tmp_path / "first" / "config.json"
    completed("train", task, "--config", config, "--out", tmp_path / "again")
    require_same_files(tmp_path / "first", tmp_path / "again", *RESULTS)
    assert "eval/reward" in (tmp_path / "first" / "progress.csv").read_text()
    completed("train", task, "--config", config, "--set", "evaluate=0", "--out", tmp_path / "w")
    policies = [(tmp_path / name / "policy.npz").read_bytes() for name in ("first", "w")]
    assert policies[0] == policies[1]


def test_a_full_disk_ends_it_clearly_and_keeps_the_last_checkpoint(
    write_task: WriteTask, tmp_path: Path
) -> None:
    """The limit on the size of files stands for the disk."""
    task = write_task(
        "import os, resource, sys; sys.acts = getattr(sys, 'acts', 0) + 1\n"
        "        if sys.acts == 100 and 'FULL' in os.environ:\n"  # never in this process
        "            resource.setrlimit(resource.RLIMIT_FSIZE, (400, 400))"
    )
    command = ["-m", "deepsim", "train", str(task), *SMALL, "--set", "checkpoint=0"]
    done = subprocess.run(
        [sys.executable, "-B", *command, "--out", str(tmp_path / "out")],  # no cut-off .pyc
        env={**os.environ, "FULL": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stdout
    text = " ".join((done.stdout + done.stderr).split())
    assert f"error: cannot write to {tmp_path / 'out'}: File too large" in text
    assert "Traceback" not in text
    completed("train", "--resume", tmp_path / "out")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--resume", "nowhere"], "config.json has no settings that can be read"),
        (["--resume", "nowhere", "--seed", "3"], "--resume keeps all settings of its folder"),
        ([], "name a task: cartpole, "),
        (["--config", "nowhere.yaml"], "name a task: cartpole, "),
    ],
)
def test_what_cannot_be_resumed_is_one_line(options: list[str], message: str) -> None:
    result = call("train", *options)
    assert result.exit_code == 1
    assert message in said(result)


def test_what_changed_since_the_run_began_is_named(write_task: WriteTask, tmp_path: Path) -> None:
    """Files of the task, whose rewards may be others, and versions of packages."""
    task = write_task()
    completed("train", task, *SMALL, "--out", tmp_path / "run")
    again = ["train", "--resume", tmp_path / "run", "--steps"]
    assert "changed since" not in said(call(*again, 192))
    init, versions = task / "__init__.py", tmp_path / "run" / "versions.json"
    init.write_text(init.read_text().replace("max_episode_steps=3", "max_episode_steps=4"))
    facts = json.loads(versions.read_text())
    facts["packages"]["numpy"] = "1.0"
    versions.write_text(json.dumps(facts))
    told = said(call(*again, 224))
    assert f"changed since the run was last started: numpy {np.__version__}, before 1.0" in told
    assert "changed since the run was last started: __init__.py of the task" in told


def test_a_folder_has_one_writer(write_task: WriteTask, tmp_path: Path) -> None:
    """A second resume would overwrite what the first one writes."""
    out = tmp_path / "run"
    completed("train", write_task(), *SMALL, "--out", out, "--no-video")
    before = {file.name: file.read_bytes() for file in out.iterdir()}
    with one_writer(out):
        result = call("train", "--resume", out, "--steps", "320")
        assert result.exit_code == 1
        assert "another training run writes to" in said(result)
        assert {file.name: file.read_bytes() for file in out.iterdir()} == before
    completed("train", "--resume", out, "--steps", "320", "--no-video")


def test_a_state_that_could_not_be_read_back_is_told(array_task: Path, tmp_path: Path) -> None:
    """The run goes on without checkpoints, as with a simulator without snapshots."""
    file, out = array_task / "__init__.py", tmp_path / "run"
    hooks = """    def get_state(self):
        from fractions import Fraction
        return Fraction(1, 2)

    def set_state(self, state):
        pass

    def act(self, actions):
"""
    file.write_text(file.read_text().replace("    def act(self, actions):\n", hooks))
    with pytest.warns(UserWarning, match=r"no checkpoints are kept: .* it calls .*Fraction"):
        result = call("train", array_task, *SMALL, "--out", out, "--no-video")
    assert result.exit_code == 0, result.output
    assert (out / "policy.npz").is_file()
    assert not (out / "checkpoint.pkl").exists()
