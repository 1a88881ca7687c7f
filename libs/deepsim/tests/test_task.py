# SPDX-License-Identifier: Apache-2.0
"""A folder as a task."""

from __future__ import annotations

from pathlib import Path

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
        "from deepsim import CameraView, Pose, Task\n"
        "from .parts import NAME\n"
        "TASK = Task(NAME, make=None, policies={}, film=CameraView(Pose()),"
        " map_view=CameraView(Pose()))\n"
    )
    task = load_task(folder)
    assert task.name == "mine"
    with pytest.raises(TaskError, match="mine has no policy 'random'"):
        task.policy("random")
