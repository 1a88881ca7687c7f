# SPDX-License-Identifier: Apache-2.0
"""The guide to a task of one's own: `deepsim new` writes its files, which do what it shows."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

FILE = re.compile(r"^`(my_task/[^`]+)`[^`]*\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^deepsim (run my_task .*)$", re.MULTILINE)
CHECK = re.compile(r"^deepsim (check my_task)$", re.MULTILINE)
OUTPUT = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "your-own-task.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def folder(page: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where `deepsim new` wrote the files of the page."""
    folder = tmp_path_factory.mktemp("newcomer")
    run(folder, "new my_task")
    for name, text in FILE.findall(page):
        assert (folder / name).read_text(encoding="utf-8") == text
    return folder


def run(folder: Path, arguments: str) -> list[str]:
    """What the command prints, line by line."""
    finished = subprocess.run(
        [sys.executable, "-m", "deepsim", *arguments.split()],
        cwd=folder, env={**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "80"},
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return [line.rstrip() for line in finished.stdout.splitlines()]


def reward(results: Path) -> float:
    with (results / "trajectory.csv").open(newline="") as file:
        return sum(float(row["reward"]) for row in csv.DictReader(file))


@pytest.fixture(scope="module")
def printed(page: str, folder: Path) -> list[str]:
    """What the page's command prints."""
    (command,) = COMMAND.findall(page)
    return run(folder, f"{command} --video none")


def test_the_command_prints_the_table_of_the_page(page: str, printed: list[str]) -> None:
    (shown,) = OUTPUT.findall(page)
    # How fast the machine is differs, and no film was asked for.
    expected = [line for line in shown.splitlines() if "real time" not in line]
    assert expected.pop().endswith("film.webp")
    start = printed.index(expected[0])
    assert [line for line in printed[start:] if "real time" not in line] == expected


@pytest.mark.usefixtures("printed")
@pytest.mark.parametrize("name", ["trajectory.csv", "map.png"])
def test_the_command_writes_what_the_page_says(folder: Path, name: str) -> None:
    assert (folder / "runs" / "my_task_seek_0" / name).stat().st_size > 1000


@pytest.mark.usefixtures("printed")
def test_seeking_earns_more_than_random_actions(page: str, folder: Path) -> None:
    (command,) = COMMAND.findall(page)
    run(folder, f"{command} --video none".replace("seek", "random"))
    seek, random = (reward(folder / "runs" / f"my_task_{who}_0") for who in ("seek", "random"))
    assert seek > random + 2.0


def test_it_passes_the_checks(page: str, folder: Path) -> None:
    (command,) = CHECK.findall(page)
    assert {line.split()[0] for line in run(folder, command)} <= {"passed", "skipped"}


def test_the_test_of_a_new_task_passes(folder: Path) -> None:
    """Under another name, too."""
    run(folder, "new two_pucks")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "two_pucks"]
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False)
    assert "2 passed" in done.stdout
    assert run(folder, "envs list")[2:4][1].startswith("two_pucks")
