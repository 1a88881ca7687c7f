# SPDX-License-Identifier: Apache-2.0
"""`deepsim bench`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from typer.testing import CliRunner, Result

from deepsim.cli import app

WriteTask = Callable[..., Path]


def bench(*arguments: object) -> Result:
    options = ["--seconds", "0.01", "--worlds", "3"]
    return CliRunner().invoke(app, ["bench", *map(str, arguments), *options])


def test_every_way_to_step_is_measured(write_task: WriteTask) -> None:
    found = json.loads(bench(write_task(), "--json").stdout)
    assert found["id"] == "DeepSim/Pucks-v0"
    assert [(speed["name"], speed["unit"]) for speed in found["speeds"]] == [
        ("physics alone", "physics steps"),
        ("environment", "steps"),
        ("environment reset", "resets"),
        ("GymnasiumEnv", "steps"),
        ("PettingZooEnv", "steps"),
        ("GymnasiumVectorEnv, 3 worlds", "steps"),
    ]
    assert all(speed["per_second"] > 0 for speed in found["speeds"])
    assert found["peak_memory_mb"] > 10


def test_a_step_that_takes_its_time_shows(write_task: WriteTask) -> None:
    """An agent that waits for 20 ms acts at most 50 times a second, in all views."""
    folder = write_task("__import__('time').sleep(0.02)")
    found = json.loads(bench(folder, "--json").stdout)
    rates = {speed["name"]: speed["per_second"] for speed in found["speeds"]}
    for name in ("environment", "GymnasiumEnv", "PettingZooEnv", "GymnasiumVectorEnv, 3 worlds"):
        assert rates[name] <= 50.0


def test_a_table_is_printed(write_task: WriteTask, tmp_path: Path) -> None:
    write_task()
    result = bench("pucks", "--in", tmp_path)
    assert result.exit_code == 0
    assert "environment reset" in result.stdout
    assert "peak memory" in result.stdout
    assert "made" not in result.stdout  # which the task itself prints


def test_a_wrong_name_gets_a_hint(write_task: WriteTask, tmp_path: Path) -> None:
    write_task()
    result = bench("puks", "--in", tmp_path)
    assert result.exit_code == 1
    assert "did you mean 'pucks'?" in " ".join(result.stdout.split())
