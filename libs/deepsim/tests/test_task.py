# SPDX-License-Identifier: Apache-2.0
"""A folder as a task."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from deepsim import TaskError, load_task


def test_a_folder_without_a_package_is_no_task(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"is not a task: it has no __init__\.py"):
        load_task(tmp_path)


@pytest.mark.parametrize("text", ["", "TASK = 3\n"])
def test_a_package_must_define_a_task(tmp_path: Path, text: str) -> None:
    (tmp_path / "__init__.py").write_text(text)
    with pytest.raises(TaskError, match=r"must define TASK, a deepsim\.Task; got "):
        load_task(tmp_path)


def test_a_task_may_be_made_of_several_modules(tmp_path: Path) -> None:
    """Its modules import one another relatively, whatever the current folder is."""
    folder = tmp_path / "my_task"
    folder.mkdir()
    (folder / "parts.py").write_text("NAME = 'mine'\n")
    (folder / "__init__.py").write_text(
        "from deepsim import CameraView, Task\n"
        "from .parts import NAME\n"
        "VIEW = CameraView.from_above(0.0, 0.0, 1.0)\n"
        "TASK = Task(NAME, make=None, policies={}, film=VIEW, map_view=VIEW)\n"
    )
    task = load_task(folder)
    assert task.name == "mine"
    with pytest.raises(TaskError, match="mine has no policy 'random'"):
        task.policy("random")


def write(folder: Path, name: str) -> Path:
    """A task of two modules, which has a name."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "parts.py").write_text(f"NAME = {name!r}\n")
    (folder / "__init__.py").write_text(
        "from deepsim import CameraView, Task\n"
        "from .parts import NAME\n"
        "VIEW = CameraView.from_above(0.0, 0.0, 1.0)\n"
        "TASK = Task(NAME, make=lambda seed: NAME, policies={}, film=VIEW, map_view=VIEW)\n"
    )
    return folder


def test_two_folders_of_one_name_are_two_tasks(tmp_path: Path) -> None:
    one, other = (load_task(write(tmp_path / name / "task", name)) for name in ("one", "other"))
    assert (one.name, other.name) == ("one", "other")
    assert (one.make(0), other.make(0)) == ("one", "other")


def test_a_task_may_have_the_name_of_a_module(tmp_path: Path) -> None:
    load_task(write(tmp_path / "numpy", "mine"))
    assert sys.modules["numpy"] is np


def test_a_folder_is_read_anew_each_time(tmp_path: Path) -> None:
    """It may be given as text, too."""
    assert load_task(str(write(tmp_path, "before"))).name == "before"
    assert load_task(str(write(tmp_path, "afterwards"))).name == "afterwards"


@pytest.mark.parametrize("last", ["raise OSError('broken')\n", "TASK = 3\n"])
def test_a_task_that_fails_to_load_leaves_nothing_behind(tmp_path: Path, last: str) -> None:
    init = write(tmp_path, "mine") / "__init__.py"
    init.write_text(init.read_text() + last)
    before = set(sys.modules)
    with pytest.raises((OSError, TaskError)):
        load_task(tmp_path)
    assert set(sys.modules) == before
