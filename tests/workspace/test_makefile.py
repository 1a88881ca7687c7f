# SPDX-License-Identifier: Apache-2.0
"""The Makefile helps a newcomer along."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def make(tmp_path):
    """Runs make in a folder that has the Makefile and nothing else."""
    shutil.copy(ROOT / "Makefile", tmp_path)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["make", "--no-print-directory", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    return run


def test_help_is_the_default_and_lists_the_two_commands(make):
    """Plain `make` changes nothing; it says what there is."""
    done = make()
    assert done.returncode == 0
    assert "make demo " in done.stdout
    assert "make test " in done.stdout


@pytest.mark.parametrize("target", ["demo", "test"])
def test_old_python_is_refused_in_one_line(make, tmp_path, target):
    """A Python before 3.10 gets the reason and the remedy, and no environment is made."""
    old = tmp_path / "python3.9"
    old.write_text('#!/bin/sh\n[ "$1" = -V ] && echo Python 3.9.2 || exit 1\n')
    old.chmod(0o755)
    done = make(target, f"PYTHON={old}")
    assert done.returncode != 0
    assert done.stdout == (
        f"DeepSim needs Python 3.10 or later, but {old} is: Python 3.9.2."
        f" Name another one: make PYTHON=python3.11 {target}\n"
    )
    assert not (tmp_path / ".venv").exists()


@pytest.mark.parametrize("name", ["math", "deepsim-math"])
def test_fast_tries_a_library_and_those_that_depend_on_it(make, workspace, tmp_path, name):
    """And nothing that is slow; checks run beside them."""
    python = tmp_path / "bin/python"
    python.parent.mkdir()
    python.write_text('#!/bin/sh\necho "$@"\n')
    python.chmod(0o755)
    files = ("requirements-demo.txt", "requirements-dev.txt", ".venv/created", ".venv/libraries")
    for file in (*files, ".venv/tools"):
        (workspace / file).parent.mkdir(exist_ok=True)
        (workspace / file).touch()
    said = make("fast", f"LIB={name}", f"BIN={python.parent}").stdout
    (tests,) = [line for line in said.splitlines() if "/pytest " in line]
    folders = ("deepsim-colliders", "deepsim-math", "deepsim")
    assert tests.endswith(" ".join(f"libs/{folder}/tests" for folder in folders))
    assert " -m not slow " in tests
    assert "tools/step.py types" in said
