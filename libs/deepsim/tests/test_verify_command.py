# SPDX-License-Identifier: Apache-2.0
"""`deepsim verify` runs a recording again, and names the first value that differs."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import call, completed, said

pytest.importorskip("deepsim_viewer")
reader = pytest.importorskip("mcap.reader")
writer = pytest.importorskip("mcap.writer")


def record(task: object, path: Path, *options: object) -> Path:
    """Records a run; returns the file."""
    out = ["--out", path.with_name("out"), "--video", "none", "--record", path]
    completed("run", task, *out, *options)
    return path


@pytest.fixture(scope="module")
def cartpole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of an installed task with an option."""
    return record("cartpole?swing_up=false", tmp_path_factory.mktemp("cartpole") / "run.mcap")


def changed(
    path: Path, facts: Callable[[dict[str, Any]], object], line: Callable[[Any], object] = id
) -> Path:
    """Writes a copy with edited metadata, and an edited line of the last step."""
    other = path.with_name("changed.mcap")
    with path.open("rb") as file, other.open("wb") as out:
        source, copy, channels = reader.make_reader(file), writer.Writer(out), {}
        copy.start()
        for each in source.iter_metadata():
            facts(each.metadata)
            copy.add_metadata(each.name, each.metadata)
        messages = list(source.iter_messages(log_time_order=False))
        last = max(each.sequence for _, channel, each in messages if "steps" in channel.topic)
        for _, channel, message in messages:
            if channel.topic not in channels:
                channels[channel.topic] = copy.register_channel(channel.topic, "", 0)
            data = message.data
            if channel.topic == "/deepsim/steps" and message.sequence == last:
                told = json.loads(data)
                line(told)
                data = json.dumps(told).encode()
            number, time = channels[channel.topic], message.log_time
            copy.add_message(number, time, data, time, message.sequence)
        copy.finish()
    return other


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("cartpole", ["--worlds", "3", "--policy", "balance"]),
        ("robocup?seconds=2&robots=2", ["--episodes", "2"]),  # a match of two against two
    ],
)
def test_a_run_of_one_process_is_equal_in_another(
    task: str, options: list[str], tmp_path: Path
) -> None:
    """With the commands as a user types them; the policy does not act again."""
    words = ["run", task, *options, "--video", "none", "--out", "out", "--record", "run.mcap"]
    for command in (words, ["verify", "run.mcap"]):
        done = subprocess.run(
            [sys.executable, "-m", "deepsim", *command],
            cwd=tmp_path, capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
    steps = 500 if task == "cartpole" else 40
    episodes, worlds = (1, 3) if task == "cartpole" else (2, 1)
    told = f"run.mcap is equal: {episodes} episodes, {steps} steps, {worlds} worlds"
    assert told in " ".join(done.stdout.split())
    assert "in the recording" not in done.stdout  # no version differs


def test_an_own_task_is_named_on_the_command_line(array_task: Path, tmp_path: Path) -> None:
    """Code of a folder never runs because a file says so."""
    path = record(array_task, tmp_path / "run.mcap", "--worlds", 2)
    refused = call("verify", path)
    assert refused.exit_code == 1
    assert "is of the task 'slides', which is not installed: name its folder" in said(refused)
    assert "run.mcap is equal" in said(call("verify", path, array_task))
    assert "run.mcap is equal" in said(call("verify", path, "slides", "--in", tmp_path))


def test_a_changed_action_is_named_and_so_is_the_software(array_task: Path, tmp_path: Path) -> None:
    """Step, tick, world, entity, column and both values; versions; and files of the task."""
    path = record(array_task, tmp_path / "run.mcap", "--worlds", 2)
    before = json.loads(list(_lines(path))[-1])

    def facts(metadata: dict[str, Any]) -> None:
        run = json.loads(metadata["run"])
        run["software"]["numpy"] = "1.0"
        metadata["run"] = json.dumps(run)

    def line(told: Any) -> None:
        (slot,) = list(told["actions"])[:1]
        told["actions"][slot][0][0] *= 0.5

    other = changed(path, facts, line)
    with (array_task / "__init__.py").open("a") as file:
        file.write("# a comment\n")
    result = call("verify", other, array_task)
    assert result.exit_code == 1
    assert f"numpy: 1.0 in the recording, {np.__version__} here" in said(result)
    assert "__init__.py of the task: one in the recording, another here" in said(result)
    assert "changed.mcap differs: episode 1, step" in said(result)
    (slot,) = list(before["actions"])[:1]
    agent, world = slot.split("/")
    assert f"world {world}, model {agent!r}, pose[0]: recorded " in said(result)


def _lines(path: Path) -> list[bytes]:
    with path.open("rb") as file:
        found = reader.make_reader(file).iter_messages(topics=["/deepsim/steps"])
        return [message.data for *_, message in found]


def test_the_options_of_the_task_are_those_of_the_recording(cartpole: Path) -> None:
    """The environment is made again with them, or with others of the command line."""
    assert "run.mcap is equal" in said(call("verify", cartpole))
    other = call("verify", cartpole, "cartpole?swing_up=true")
    assert other.exit_code == 1
    assert 'options: {"swing_up": false} in the recording, {"swing_up": true} here' in said(other)


def test_the_episodes_after_a_training_are_verified(array_task: Path, tmp_path: Path) -> None:
    """With the options and the seed of the training; the training itself is not in the file."""
    pytest.importorskip("stable_baselines3")
    out = tmp_path / "trained"
    words = ["--steps", 64, "--worlds", 2, "--seed", 3, "--agent", "puck", "--others", "chase"]
    completed("train", array_task, *words, "--no-video", "--record", "--out", out)
    result = call("verify", out / "episodes.mcap", array_task)
    assert "episodes.mcap is equal: 3 episodes" in said(result)


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"name": "../slides"}, "is of the task '../slides', which is not installed"),
        ({"options": '{"scenario": "/tmp/x.scenic"}'}, "has the option scenario='/tmp/x.scenic'"),
        ({"options": '{"scenario": ["x"]}'}, "which is not taken from a file"),
        ({"options": '{"colour": "red"}'}, "cartpole has no option 'colour'"),
        ({"options": "7"}, "does not say of which task it is"),
        ({"environment_seed": "-1"}, "a seed is >= 0, got -1"),
        ({"backend": "gazebo"}, "was recorded on 'gazebo', not on 'mujoco'"),
    ],
)
def test_a_file_decides_no_code(facts: dict[str, str], message: str, cartpole: Path) -> None:
    """Nor which files are read, nor which simulator is reached."""
    result = call("verify", changed(cartpole, lambda metadata: metadata.update(facts)))
    assert result.exit_code == 1
    assert message in said(result)


def test_other_files_are_refused(cartpole: Path, tmp_path: Path) -> None:
    """Damage, and a recording without facts, in a line."""
    plain = call("verify", changed(cartpole, lambda metadata: metadata.pop("name")))
    assert "does not say of which task it is: KeyError('name')" in said(plain)
    data = bytearray(cartpole.read_bytes())
    data[len(data) // 2] ^= 1
    damaged = tmp_path / "damaged.mcap"
    damaged.write_bytes(data)
    for file, message in ((damaged, "is not a recording"), (tmp_path / "no.mcap", "No such file")):
        result = call("verify", file)
        assert result.exit_code == 1
        assert message in said(result)
