# SPDX-License-Identifier: Apache-2.0
"""Tasks are found without running them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from deepsim_train import TaskError
from deepsim_train.tasks.search import find_task, find_tasks, installed_tasks


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A folder with tasks at different depths, and with what is none."""
    files = {
        "two_cars/__init__.py": '"""Two cars race.\n\nAt length."""\nraise SystemExit\nTASK = 1',
        "games/soccer/__init__.py": "TASK: int = 1",
        "games/soccer/inner/__init__.py": "TASK = 1",  # part of a task
        "games/helpers/__init__.py": "def f():\n    TASK = 1",
        "games/broken/__init__.py": "TASK = = 1",
        "tests/fake/__init__.py": "TASK = 1",
        ".hidden/__init__.py": "TASK = 1",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_tasks_are_found_below_a_folder_and_do_not_run(shelf: Path) -> None:
    tasks = find_tasks(shelf)
    assert [(task.id, task.summary) for task in tasks] == [
        ("DeepSim/Soccer-v0", ""),
        ("DeepSim/TwoCars-v0", "Two cars race."),
    ]


@pytest.mark.parametrize("name", ["two_cars", "DeepSim/TwoCars-v0"])
def test_a_task_is_meant_by_name_or_id(shelf: Path, name: str) -> None:
    assert find_task(name, shelf).folder == shelf / "two_cars"


def test_a_task_is_meant_by_its_folder(shelf: Path) -> None:
    assert find_task(str(shelf / "games" / "soccer")).name == "soccer"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("two_car", "did you mean 'two_cars'?"),
        ("DeepSim/Socer-v0", "did you mean 'DeepSim/Soccer-v0'?"),
        ("zzz", "deepsim envs list shows tasks"),
        (300 * "z", "deepsim envs list shows tasks"),  # too long for a folder
    ],
)
def test_a_wrong_name_gets_a_hint(shelf: Path, name: str, hint: str) -> None:
    with pytest.raises(TaskError) as caught:
        find_task(name, shelf)
    assert hint in str(caught.value)


def test_of_two_tasks_with_one_name_the_folder_must_be_said(shelf: Path) -> None:
    twin = shelf / "more" / "soccer"
    twin.mkdir(parents=True)
    (twin / "__init__.py").write_text("TASK = 1")
    with pytest.raises(TaskError, match="'soccer' is several tasks: say which folder"):
        find_task("soccer", shelf)


def test_what_may_not_be_read_is_left_out(shelf: Path) -> None:
    """Root may read all, so that a process of its own becomes somebody else."""
    for name, mode in (("nothing", 0o000), ("names_only", 0o444)):
        task = shelf / "games" / name / "task"
        task.mkdir(parents=True)
        (task / "__init__.py").write_text("TASK = 1")
        task.parent.chmod(mode)
    shelf.chmod(0o755)
    code = (
        "import os; from deepsim_train.tasks.search import find_tasks\n"
        "if os.geteuid() == 0:\n"
        "    os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "print([task.name for task in find_tasks('.')])"
    )
    try:
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=shelf, capture_output=True, text=True, check=False
        )
    finally:
        for name in ("nothing", "names_only"):
            (shelf / "games" / name).chmod(0o755)
    assert done.stdout == "['soccer', 'two_cars']\n", done.stderr


def test_links_are_not_followed(shelf: Path) -> None:
    (shelf / "games" / "again").symlink_to(shelf / "two_cars")
    (shelf / "games" / "loop").symlink_to("loop")
    assert len(find_tasks(shelf)) == 2


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    for find in (find_tasks, lambda folder: find_task(str(folder))):
        with pytest.raises(TaskError, match=r"there is no folder .+nowhere$"):
            find(tmp_path / "nowhere")


def test_a_file_is_no_task(shelf: Path) -> None:
    file = shelf / "two_cars" / "__init__.py"
    with pytest.raises(TaskError, match=r"__init__\.py is a file: a task is a folder"):
        find_task(str(file))
    with pytest.raises(TaskError, match=r"__init__\.py is a file: tasks are looked for in folders"):
        find_tasks(file)


def test_a_folder_may_hide_that_it_defines_a_task(shelf: Path) -> None:
    """Its code would have to run to tell; a name still finds what says so in plain sight."""
    assert find_task(str(shelf / "games" / "helpers")).name == "helpers"
    with pytest.raises(TaskError, match="there is no task 'helpers'"):
        find_task("helpers", shelf)


def test_packages_bring_tasks(
    shelf: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By an entry point; the folder that is searched comes first."""
    site = tmp_path_factory.mktemp("site")
    for name in ("two_cars", "barge"):
        (site / "fleet" / name).mkdir(parents=True)
        (site / "fleet" / name / "__init__.py").write_text('"""Of a package."""\nTASK = 1')
    (site / "fleet" / "__init__.py").write_text("raise SystemExit  # nothing runs")
    about = site / "fleet_tasks-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: fleet-tasks\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[deepsim.tasks]\nfleet = fleet\n")
    monkeypatch.syspath_prepend(str(site))
    brought = [task for task in installed_tasks() if task.package == "fleet-tasks"]
    assert [task.name for task in brought] == ["barge", "two_cars"]
    assert find_task("barge", shelf / "games") == brought[0]
    assert find_task("DeepSim/Barge-v0", shelf / "games").summary == "Of a package."
    assert find_task("two_cars", shelf).folder == shelf / "two_cars"
    with pytest.raises(TaskError, match=r"no task 'bargr'.* did you mean 'barge'"):
        find_task("bargr", shelf)
