# SPDX-License-Identifier: Apache-2.0
"""Programs of users pass strict type checkers, which find the mistakes planted in them."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

PROGRAMS = sorted((Path(__file__).parent / "typed").glob("*.py"))


def by_mypy(program: Path) -> set[int]:
    """Lines that `mypy --strict` objects to."""
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", program.name]
    run = subprocess.run(command, cwd=program.parent, text=True, capture_output=True, check=False)
    assert run.returncode < 2, run.stdout + run.stderr
    return {int(line) for line in re.findall(r":(\d+): error:", run.stdout)}


def by_pyright(program: Path) -> set[int]:
    """Lines that pyright objects to in strict mode; basedpyright brings the node that runs it."""
    if importlib.util.find_spec("basedpyright") is None:
        pytest.skip("basedpyright is not installed")
    (program.parent / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath"]
    command += [sys.executable, program.name]
    run = subprocess.run(command, cwd=program.parent, text=True, capture_output=True, check=False)
    assert run.returncode < 2, run.stdout + run.stderr
    found = json.loads(run.stdout)["generalDiagnostics"]
    return {each["range"]["start"]["line"] + 1 for each in found if each["severity"] == "error"}


@pytest.mark.parametrize("check", [by_mypy, by_pyright])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_checkers_object_to_the_mistakes_alone(
    program: Path, check: Callable[[Path], set[int]], tmp_path: Path
) -> None:
    """In a folder of its own, with the libraries as they are installed."""
    text = program.read_text(encoding="utf-8")
    copy = tmp_path / f"use_{program.name}"
    copy.write_text(text, encoding="utf-8")
    lines = enumerate(text.splitlines(), 1)
    assert check(copy) == {number for number, line in lines if line.split("  # ")[1:2] == ["wrong"]}
