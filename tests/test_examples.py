# SPDX-License-Identifier: Apache-2.0
"""The examples of the paper's appendices run and print what they say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def run(path: Path) -> str:
    finished = subprocess.run(
        [sys.executable, "-W", "error", str(path)], capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def test_appendix_a_sets_and_gets_many_states_at_once(root: Path) -> None:
    assert run(root / "examples" / "appendix_a.py").splitlines() == [
        "agent0 is at 1.00 2.00 3.00 after 1.0 s",
        "agent1 is at 4.50 5.00 6.00 after 1.0 s",
    ]
