# SPDX-License-Identifier: Apache-2.0
"""`deepsim bench`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from typer.testing import CliRunner, Result

from deepsim.cli import app

WriteTask = Callable[..., Path]
ALL = ["physics alone", "Environment", "Environment, resets"]


def bench(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["bench", *map(str, arguments), "--seconds", "0.01"])


def test_every_way_to_step_is_measured_in_one_world_and_in_many(array_task: Path) -> None:
    found = json.loads(bench(array_task, "--worlds", 1, "--worlds", 3, "--json").stdout)
    assert found["id"] == "DeepSim/Slides-v0"
    names = [(speed["worlds"], speed["name"]) for speed in found["speeds"]]
    assert names == [
        *((1, name) for name in [*ALL, "GymnasiumEnv"]),
        *((3, name) for name in [*ALL, "GymnasiumVectorEnv"]),
    ]
    units = [speed["unit"] for speed in found["speeds"]]
    assert units == ["physics steps", "steps", "resets", "steps"] * 2
    assert all(speed["per_second"] > 0 for speed in found["speeds"])
    assert found["peak_memory_mb"] > 10


def test_a_step_that_takes_its_time_shows(write_task: WriteTask) -> None:
    """An agent that waits for 20 ms acts at most 50 times a second."""
    folder = write_task("__import__('time').sleep(0.02)")
    found = json.loads(bench(folder, "--worlds", 1, "--json").stdout)
    rates = {speed["name"]: speed["per_second"] for speed in found["speeds"]}
    for name in ("Environment", "GymnasiumEnv"):
        assert rates[name] <= 50.0


def test_one_table_is_printed(write_task: WriteTask, tmp_path: Path) -> None:
    """A task of one world says so below it."""
    write_task()
    result = bench("pucks", "--in", tmp_path)
    assert result.exit_code == 0, result.output
    assert "resets" in result.stdout
    assert "W = 1" in result.stdout
    assert "W = 16" not in result.stdout
    assert "peak memory" in result.stdout
    assert "pucks runs in one world only, and 16 were asked for" in result.stdout
    assert "made" not in result.stdout  # which the task itself prints


def test_a_number_of_worlds_that_cannot_be_is_an_error(write_task: WriteTask) -> None:
    result = bench(write_task(), "--worlds", 2)
    assert result.exit_code == 1
    assert "error: pucks runs in one world only" in result.stdout
