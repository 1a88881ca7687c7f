# SPDX-License-Identifier: Apache-2.0
"""The page on parts of a task: its task passes the checks, its program prints what it shows."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "parts-of-a-task.md"
TASK = re.compile(r"`follow/__init__.py`:\n\n```python\n(.*?)```", re.DOTALL)
SHOWN = re.compile(r"```python\n((?:(?!```).)*?)```\n\n```text\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def text() -> str:
    return PAGE.read_text(encoding="utf-8")


def test_the_task_passes_the_checks(text: str, tmp_path: Path) -> None:
    """Also that 33 worlds give the bits of one alone, and that a snapshot continues equally."""
    (code,) = TASK.findall(text)
    (tmp_path / "follow").mkdir()
    (tmp_path / "follow" / "__init__.py").write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "deepsim", "check", "follow"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed  a snapshot continues equally" in done.stdout


def test_the_program_prints_what_the_page_shows(text: str) -> None:
    (found,) = SHOWN.findall(text)
    code, shown = found
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == shown
