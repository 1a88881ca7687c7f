# SPDX-License-Identifier: Apache-2.0
"""A project of a user passes mypy in its strict mode."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")

PROJECT = Path(__file__).parent / "typing" / "project.py"


def test_a_project_is_clean(tmp_path):
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", str(PROJECT)]
    done = subprocess.run(
        [*command, "--cache-dir", str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
