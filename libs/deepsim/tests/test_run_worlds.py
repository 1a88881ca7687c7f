# SPDX-License-Identifier: Apache-2.0
"""`deepsim run` in many worlds at once."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from deepsim.cli import app

WriteTask = Callable[..., Path]


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["run", *map(str, arguments)])


def episodes(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.output
    found: list[dict[str, Any]] = json.loads(result.stdout)["episodes"]
    return found


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "trajectory.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("policy", ["random", "chase", "hide"])
def test_a_world_of_several_gives_the_bits_of_one(
    array_task: Path, tmp_path: Path, policy: str
) -> None:
    """World w is a run with the seed of world w, in data, results and policy."""
    options = [array_task, "--policy", policy, "--episodes", 2, "--json"]
    many = episodes(call(*options, "--worlds", 3, "--seed", 5, "--out", tmp_path / "many"))
    assert [(each["episode"], each["world"]) for each in many] == [
        (number, world) for number in (1, 2) for world in range(3)
    ]
    assert len({each["steps"] for each in many}) > 1
    together = rows(tmp_path / "many")
    for world in range(3):
        out = tmp_path / f"alone_{world}"
        alone = episodes(call(*options, "--seed", 5 + world, "--out", out))
        mine = [each for each in many if each["world"] == world]
        assert [{**each, "world": 0} for each in mine] == alone
        assert [{**row, "world": "0"} for row in together if row["world"] == str(world)] == rows(
            out
        )


def test_info_is_that_of_the_world(array_task: Path, tmp_path: Path) -> None:
    found = episodes(call(array_task, "--worlds", 4, "--json", "--out", tmp_path / "out"))
    for each in found:
        assert each["info"] == {"puck": {"last": each["steps"]}, "left": 0}
        assert each["diverged"] is False


def test_the_table_names_the_worlds(array_task: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shown = call(array_task, "--worlds", 2, "--world", 1, "--out", out)
    assert shown.exit_code == 0, shown.output
    assert "episode   world   agent" in shown.stdout
    assert (out / "map.png").is_file()
    alone = call(array_task, "--out", out)
    assert "episode   agent" in alone.stdout


def test_the_map_is_of_a_world_that_exists(array_task: Path, tmp_path: Path) -> None:
    result = call(array_task, "--worlds", 2, "--world", 2, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "error: there is no world 2: there are 2, from world 0" in result.stdout


def test_a_world_that_diverges_ends_its_own_episode(array_task: Path, tmp_path: Path) -> None:
    init = array_task / "__init__.py"
    text = init.read_text()
    assert "        self.rows.twist = twist\n" in text
    text = text.replace(
        "        self.rows.twist = twist\n",
        "        twist[1:2] = 1.7e308\n        self.rows.twist = twist\n",
    )
    init.write_text(text)
    result = call(array_task, "--worlds", 3, "--json", "--out", tmp_path / "out")
    found = episodes(result)
    assert [each["diverged"] for each in found] == [False, True, False]
    assert found[1]["steps"] < found[0]["steps"] + found[2]["steps"]


def test_a_task_of_one_world_says_so(write_task: WriteTask, tmp_path: Path) -> None:
    result = call(write_task(), "--worlds", 2, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "error: pucks runs in one world only, and 2 were asked for" in result.stdout
    assert not (tmp_path / "out").exists()
