# SPDX-License-Identifier: Apache-2.0
"""What the command says when a task fails, or when its simulator takes no pictures."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Run = Callable[[Path, str], Result]


def test_an_error_of_a_callback_is_shown_with_its_place(
    write_task: Callable[..., Path], run: Run
) -> None:
    """From the user's first frame on, and with what it was raised from."""
    result = run(write_task("{}['speed']"), "none")
    lines = [line.strip() for line in result.stdout.splitlines()]
    start = lines.index("Traceback (most recent call last):")
    assert lines[start + 1].endswith("in on_action_received")
    assert lines[start + 2] == "{}['speed']"
    assert "KeyError: 'speed'" in lines
    assert "error: puck.on_action_received raised KeyError in tick 0: 'speed'" in lines
    assert result.exit_code == 1


def test_a_callback_of_the_wrong_signature_is_shown_too(
    write_task: Callable[..., Path], run: Run
) -> None:
    """Nothing of the user's ran: there are no frames to show."""
    folder = write_task()
    init = folder / "__init__.py"
    init.write_text(init.read_text().replace("(self, action)", "(self)"))
    result = run(folder, "none")
    assert "\nTypeError: Puck.on_action_received() takes 1 positional" in result.stdout
    assert "callbacks.py" not in result.stdout


def test_without_cameras_there_is_no_map(
    write_task: Callable[..., Path], run: Run, tmp_path: Path
) -> None:
    result = run(write_task(), "none")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines().count("no map: TableSimulator takes no pictures") == 1
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["trajectory.csv"]


@pytest.mark.parametrize("video", ["gif", "mp4"])
def test_without_cameras_a_film_fails_before_the_first_episode(
    write_task: Callable[..., Path], run: Run, video: str
) -> None:
    result = run(write_task(), video)
    assert result.exit_code == 1
    assert "error: TableSimulator takes no pictures to film" in result.stdout
    assert "made" in result.stdout
    assert "acts" not in result.stdout


@pytest.mark.parametrize("package", ["imageio", "av"])
def test_mp4_without_the_extra_fails_before_the_first_episode(
    write_task: Callable[..., Path], run: Run, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    folder = write_task()
    init = folder / "__init__.py"
    init.write_text(init.read_text().replace("World(TableSimulator())", "World(MujocoSimulator())"))
    init.write_text(init.read_text().replace('world.spawn(TableModel(), "puck", Pose())', ""))
    result = run(folder, "mp4")
    assert result.exit_code == 1
    assert "film.mp4 needs an extra: pip install 'deepsim[video]'" in " ".join(
        result.stdout.split()
    )
    assert "made" in result.stdout
    assert "acts" not in result.stdout
