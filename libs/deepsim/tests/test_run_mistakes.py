# SPDX-License-Identifier: Apache-2.0
"""What `deepsim run` does about mistakes in a task, and about what a task leaves out."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import said
from typer.testing import Result

Run = Callable[..., Result]
WriteTask = Callable[..., Path]


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        (
            ('print("made")', "len(seed)"),
            ["in make", "len(seed)", "error: make of pucks raised TypeError: object of type 'int'"],
        ),
        (
            ('Puck("puck", world=world)', 'Puck("puck", world)'),
            ["in __init__", 'self.puck = Puck("puck", world)', "error: make of pucks raised Type"],
        ),
        (
            ('print("acts")', "seen.x"),
            ["in act", "seen.x", "error: policy 'random' of pucks raised NameError: name 'seen'"],
        ),
        (("import numpy as np", "import nunpy"), ["in <module>", "import nunpy", "error: "]),
    ],
    ids=["make", "constructor", "policy", "import"],
)
def test_an_error_of_the_tasks_own_code_is_shown_with_its_place(
    write_task: WriteTask, run: Run, change: tuple[str, str], lines: list[str]
) -> None:
    """From its own first frame on, and one line of what failed."""
    result = run(write_task("pass", change))
    shown = [line.strip() for line in result.stdout.splitlines()]
    first = shown[shown.index("Traceback (most recent call last):") + 1]
    assert "pucks/__init__.py" in first
    place, statement, error = lines
    assert [line for line in shown if line.endswith(place)]
    assert statement in shown
    assert shown[-1].startswith(error)
    assert result.exit_code == 1


def test_an_error_of_a_library_is_shown_with_its_place_in_the_task(
    write_task: WriteTask, run: Run
) -> None:
    """The task's own frames, and none of the libraries."""
    change = ("self.puck = ", 'from deepsim import Transform; Transform(world, "pick").pose; ')
    shown = [line.strip() for line in run(write_task("pass", change)).stdout.splitlines()]
    start = shown.index("Traceback (most recent call last):")
    assert shown[-1].startswith("error: no model is named 'pick'")
    places = [line.rpartition(" in ")[2] for line in shown[start:] if line.startswith("File ")]
    assert places == ["make", "__init__"]
    assert all("pucks/__init__.py" in line for line in shown[start:] if line.startswith("File "))


def test_what_the_environment_finds_wrong_has_no_frames_of_its_own(
    write_task: WriteTask, run: Run
) -> None:
    result = run(write_task("pass", ("return {}", "return None")))
    assert said(result).endswith(
        "error: the reset raised TypeError: Area.get_info() must return a dict, got None"
    )
    assert "environment.py" not in result.stdout


def test_a_task_without_cameras_has_no_film_and_no_map(
    write_task: WriteTask, run: Run, tmp_path: Path
) -> None:
    folder = write_task()
    text = (folder / "__init__.py").read_text()
    (folder / "__init__.py").write_text(text[: text.index("TASK =")] + 'TASK = Task("pucks", make)')
    result = run(folder)
    assert result.exit_code == 0, result.output
    assert "pucks has no camera of a film or a map: there is none" in said(result)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["trajectory.csv"]
    wanted = run(folder, "--video", "gif")
    assert wanted.exit_code == 1
    assert "error: pucks has no camera of a film: give its Task film=..." in said(wanted)


def test_a_policy_that_is_some_folder_gets_a_suggestion(
    write_task: WriteTask, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest training of the task, if there is one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs" / "pucks_random_0").mkdir(parents=True)
    result = run(write_task(), "--policy", "runs/pucks_random_0")
    told = "error: runs/pucks_random_0 is not the folder of a training run: it has no policy.npz"
    assert said(result) == told
    for date in ("2026-01-31_0", "2026-02-01_0"):
        (tmp_path / "runs" / "pucks" / date).mkdir(parents=True)
        (tmp_path / "runs" / "pucks" / date / "policy.npz").touch()
    result = run("pucks", "--policy", "runs/pucks_random_0")
    assert said(result) == f"{told}; the newest training run is runs/pucks/2026-02-01_0"


def test_a_folder_that_cannot_be_written_fails_before_the_world_is_built(
    write_task: WriteTask, run: Run, tmp_path: Path
) -> None:
    (tmp_path / "out").write_text("a file")
    result = run(write_task())
    assert result.exit_code == 1
    assert re.search(r"error: cannot write to .+out: it is a file", result.stdout)
    assert "made" not in result.stdout


def test_a_policy_of_the_task_comes_before_a_folder_of_its_name(
    write_task: WriteTask, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as that of a training run, of this or another task, written beside it."""
    folder = write_task()
    monkeypatch.chdir(tmp_path)
    Path("random").mkdir()
    Path("random", "policy.npz").write_bytes(b"none")
    assert run(folder, "--policy", "random", "--video", "none").exit_code == 0
    result = run(folder, "--policy", "./random", "--video", "none")
    assert result.exit_code == 1
    assert "policy.npz" in said(result)
