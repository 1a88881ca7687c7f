# SPDX-License-Identifier: Apache-2.0
"""What the command says when a task fails, or when its simulator takes no pictures."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import distributions, version
from pathlib import Path
from sysconfig import get_path
from typing import Any

import pytest
from command_line import call, said
from typer.main import get_command
from typer.testing import Result

from deepsim.cli import app

Run = Callable[..., Result]
BODILESS = ('world.spawn(TableModel(), "puck", Pose())', "")
"""A change after which the agent is no model."""


def test_an_error_of_a_callback_is_shown_with_its_place(
    write_task: Callable[..., Path], run: Run
) -> None:
    """From the user's first frame on, and with what it was raised from."""
    result = run(write_task("{}['speed']"))
    lines = [line.strip() for line in result.stdout.splitlines()]
    start = lines.index("Traceback (most recent call last):")
    assert lines[start + 1].endswith("in on_action_received")
    assert lines[start + 2] == "{}['speed']"
    assert "KeyError: 'speed'" in lines
    assert "error: puck.on_action_received raised KeyError in tick 0: 'speed'" in lines
    assert result.exit_code == 1


def test_envs_show_shows_it_too(write_task: Callable[..., Path]) -> None:
    area = "class Area(AreaInterface):\n"
    closes = f"{area}    def close(self):\n        {{}}['speed']\n"
    result = call("envs", "show", write_task("pass", (area, closes)))
    assert "\nKeyError: 'speed'\n" in result.stdout
    assert "error: Area.close raised KeyError in tick 0: 'speed'" in result.stdout


def test_an_agent_need_not_be_a_model(
    write_task: Callable[..., Path], run: Run, tmp_path: Path
) -> None:
    result = run(write_task("self.add_reward(1.0)", BODILESS), "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["episodes"][0]["rewards"] == {"puck": 3.0}
    assert (tmp_path / "out" / "trajectory.csv").read_text().count("\n") == 1
    assert (tmp_path / "out" / "map.png").is_file()


def test_a_callback_of_the_wrong_signature_is_shown_too(
    write_task: Callable[..., Path], run: Run
) -> None:
    """Nothing of the user's ran: there are no frames to show."""
    result = run(write_task("pass", ("(self, action)", "(self)")))
    assert "\nTypeError: Puck.on_action_received() takes 1 positional" in result.stdout
    assert "callbacks.py" not in result.stdout


@pytest.mark.parametrize("options", [[], ["--video", "none"]])
def test_without_cameras_the_map_shows_lines_only(
    write_task: Callable[..., Path], run: Run, tmp_path: Path, options: list[str]
) -> None:
    """A film that nobody asked for is left out."""
    result = run(write_task(), *options)
    assert result.exit_code == 0, result.output
    text = "TableSimulator takes no pictures: the map shows lines only, there is no film"
    assert text in said(result)
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert written == {"trajectory.csv", "map.png"}


@pytest.mark.parametrize("video", ["gif", "mp4"])
def test_without_cameras_a_film_fails_before_the_first_episode(
    write_task: Callable[..., Path], run: Run, video: str
) -> None:
    result = run(write_task(), "--video", video)
    assert result.exit_code == 1
    assert "error: TableSimulator takes no pictures to film" in result.stdout
    assert "made" in result.stdout
    assert "acts" not in result.stdout


@pytest.mark.parametrize("package", ["imageio", "av"])
def test_mp4_without_the_extra_fails_before_the_first_episode(
    write_task: Callable[..., Path], run: Run, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    engine = ("World(TableSimulator())", "World(MujocoSimulator())")
    result = run(write_task("pass", engine, BODILESS), "--video", "mp4")
    assert result.exit_code == 1
    extra = "film.mp4 needs an extra: pip install --find-links dist 'deepsim[video]'"
    assert extra in said(result)
    assert "made" in result.stdout
    assert "acts" not in result.stdout


def test_an_unknown_backend_fails_before_the_world_is_built(
    write_task: Callable[..., Path], run: Run
) -> None:
    result = run(write_task(), "--backend", "unity")
    assert result.exit_code == 1
    assert "error: there is no backend 'unity': choose mujoco or gazebo" in result.stdout
    assert "made" not in result.stdout


def test_a_task_that_makes_its_own_simulator_runs_on_no_other(
    write_task: Callable[..., Path], run: Run
) -> None:
    result = run(write_task(), "--backend", "gazebo")
    assert result.exit_code == 1
    text = "error: pucks makes its own simulator, so it cannot run on gazebo: its make"
    assert text in said(result)
    assert "acts" not in result.stdout


def test_json_is_all_that_is_printed(write_task: Callable[..., Path], run: Run) -> None:
    """Not the table, nor what the task itself prints."""
    told = json.loads(run(write_task(), "--json", "--episodes", "2").stdout)
    assert told["folder"].endswith("out")
    assert [episode["steps"] for episode in told["episodes"]] == [3, 3]
    assert told["episodes"][0]["rewards"] == {"puck": 0.0}


@pytest.mark.parametrize(
    ("name", "meant"), [("puck", "pucks"), ("DeepSim/Pukcs-v0", "DeepSim/Pucks-v0")]
)
def test_a_wrong_name_or_id_gets_a_suggestion(
    write_task: Callable[..., Path], run: Run, tmp_path: Path, name: str, meant: str
) -> None:
    write_task()
    result = run(name, "--in", str(tmp_path))
    assert result.exit_code == 1
    assert f"error: there is no task {name!r}, in" in said(result)
    assert f"did you mean {meant!r}?" in said(result)


def test_versions_are_those_of_all_libraries() -> None:
    """Those that are installed; GPU and topics are extras."""
    lines = call("--version").stdout.splitlines()
    names = {each.metadata["Name"].replace("_", "-") for each in distributions()}
    ours = sorted(name for name in names if re.fullmatch("deepsim(-[a-z0-9]+)?", name))
    assert lines == [f"{name} {version(name)}" for name in ours]


@pytest.mark.parametrize("group", ["", "envs", "models", "robots", "ros2", "topic", "world"])
def test_no_help_is_cut_off(group: str) -> None:
    shown = call(*group.split(), "--help").stdout
    commands = shown.partition("Show this message and exit.")[2]
    assert len(commands.splitlines()) > 3
    assert "..." not in commands


def commands(group: Any, *path: str) -> Iterator[tuple[str, ...]]:
    """The words of each command and group below a group, and of the group itself."""
    yield path
    for name, command in getattr(group, "commands", {}).items():
        yield from commands(command, *path, name)


PATHS = list(commands(get_command(app)))


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_help_has_a_short_option_and_an_example_that_the_command_accepts(
    path: tuple[str, ...],
) -> None:
    shown = call(*path, "-h")
    assert shown.exit_code == 0
    assert shown.stdout == call(*path, "--help").stdout
    if path in [(), ("envs",), ("robots",), ("models",), ("ros2",), ("topic",), ("world",)]:
        return
    (line,) = re.findall(r"^  Example: deepsim (.*)$", shown.stdout, re.M)
    (page,) = re.findall(r"^  Guide:   (docs/\S+\.md)", shown.stdout, re.M)
    assert (Path(__file__).parents[3] / page).is_file()
    command, words = get_command(app), line.split()
    assert tuple(words[: len(path)]) == path
    for name in path:
        command = command.commands[name]
    command.make_context(line, words[len(path) :])


@pytest.mark.parametrize("path", [p for p in PATHS if p in [(), ("envs",), ("topic",)]])
def test_a_group_without_a_command_shows_its_help(path: tuple[str, ...]) -> None:
    shown = call(*path)
    assert shown.exit_code == 0
    assert shown.stdout == call(*path, "--help").stdout


def test_help_is_in_sections_that_begin_with_where_to_begin() -> None:
    lines = call().stdout.splitlines()
    titles = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert titles == [
        "Options:", "Begin:", "Your own task:", "Training:", "Models and robots:",
        "Gazebo and processes:",
    ]  # fmt: skip
    assert "    deepsim run walk" in "\n".join(lines[: lines.index("Options:")])


@pytest.mark.parametrize(
    "command", ["run", "train", "check", "bench", "dataset", "serve", "copy", "view", "envs show"]
)
def test_a_command_without_a_task_lists_the_tasks(
    command: str, write_task: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write_task().parent)
    result = call(*command.split())
    assert result.exit_code == 1
    assert re.search(r"pucks, cartpole, .*walk", result.stdout)


def test_a_wrong_format_is_answered_with_those_that_exist() -> None:
    result = call("run", "walk", "--video", "mp5")
    assert result.exit_code == 2
    assert "'--video': 'mp5' is not one of 'webp', 'gif', 'mp4'" in said(result)


def test_a_missing_file_is_named_once() -> None:
    result = call("robots", "show", "nosuch.urdf")
    assert result.exit_code == 1
    assert result.stdout == "error: nosuch.urdf: cannot be opened: No such file or directory\n"


def test_names_of_tasks_are_completed(
    write_task: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write_task().parent)
    words = {
        "_DEEPSIM_COMPLETE": "complete_bash",
        "COMP_WORDS": "deepsim run pu",
        "COMP_CWORD": "2",
    }
    command = Path(get_path("scripts"), "deepsim")
    done = subprocess.run(
        [command], env={**os.environ, **words}, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["pucks", "push"]
