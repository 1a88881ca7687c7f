# SPDX-License-Identifier: Apache-2.0
"""The first commands where Python lacks what Windows lacks: modules, signals, EGL, UTF-8."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

WINDOWS = """
import os, signal, sys, warnings

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in ("fcntl", "resource", "pwd", "grp", "termios", "mujoco.egl"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
for name in ("SIGHUP", "SIGALRM", "SIGUSR1", "SIGPIPE"):
    delattr(signal, name)
for name in ("fork", "getuid", "killpg", "sched_getaffinity"):
    delattr(os, name)
warnings.filterwarnings("error", category=EncodingWarning, module="deepsim")
"""
"""Runs before everything else in a process; text files without an encoding are errors in ours."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder; beside it, what each process runs first."""
    folder = tmp_path_factory.mktemp("windows")
    (folder / "first").mkdir()
    (folder / "first" / "sitecustomize.py").write_text(WINDOWS, encoding="utf-8")
    (folder / "here").mkdir()
    return folder


@contextmanager
def started(place: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """A command of deepsim; text is ASCII by default, as it is not UTF-8 on Windows."""
    own = {"PYTHONPATH": str(place / "first"), "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0",
           "LC_ALL": "C", "PYTHONWARNDEFAULTENCODING": "1"}  # fmt: skip
    with subprocess.Popen(
        [sys.executable, "-m", "deepsim", *words],
        cwd=place / "here",
        env={**os.environ, **own},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


def said(place: Path, command: str, status: int = 0) -> str:
    with started(place, *command.split()) as process:
        out, errors = process.communicate()
    assert process.returncode == status, out + errors
    return out + errors


def test_what_windows_lacks_is_missing(place: Path) -> None:
    """Else the other tests show nothing."""
    code = "import deepsim_gazebo"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(place / "first")},
        capture_output=True,
        text=True,
    )
    assert "No module named 'fcntl'" in done.stderr


def test_tasks_are_listed(place: Path) -> None:
    assert re.search(r"^walk[ |]+deepsim-tasks", said(place, "envs list"), re.M)


def test_a_task_runs_and_is_filmed(place: Path) -> None:
    shown = said(place, "run cartpole --out ran")
    assert "pictures come from cast rays" in shown
    assert (place / "here" / "ran" / "film.webp").read_bytes()[:4] == b"RIFF"


def test_a_new_task_runs(place: Path) -> None:
    said(place, "new my_task")
    said(place, "run my_task --policy seek --video none --out mine")
    assert (place / "here" / "mine" / "trajectory.csv").is_file()


def test_the_doctor_finds_all_that_is_needed(place: Path) -> None:
    found = {each["name"]: each for each in json.loads(said(place, "doctor --json"))}
    assert "broken" not in {each["outcome"] for each in found.values()}
    assert found["Gazebo"]["found"] == "does not run here: No module named 'fcntl'"
    assert found["pictures"]["outcome"] == "missing"


def test_the_speed_is_measured_without_the_peak_of_memory(place: Path) -> None:
    measured = json.loads(said(place, "bench cartpole --worlds 2 --seconds 0.05 --json"))
    assert measured["speeds"]
    assert measured["peak_memory_mb"] is None


def test_gazebo_is_refused_in_a_line(place: Path) -> None:
    shown = said(place, "run cartpole --backend gazebo --out none", status=1)
    assert "the backend 'gazebo' does not run here: No module named 'fcntl'" in shown
    assert "Traceback" not in shown


def test_a_task_is_shown_in_the_browser(place: Path) -> None:
    with started(place, "view", "walk", "--port", "0") as process:
        assert process.stdout is not None
        found = re.search(r"http\S+", process.stdout.readline())
        assert found is not None
        with urlopen(found[0]) as page:
            assert page.status == 200
