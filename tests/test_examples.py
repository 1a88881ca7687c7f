# SPDX-License-Identifier: Apache-2.0
"""The examples of the paper's appendices run and print what they say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def run(path: Path) -> str:
    finished = subprocess.run(
        [sys.executable, "-W", "error", "-W", "ignore::DeprecationWarning", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def test_appendix_a_sets_and_gets_many_states_at_once(root: Path) -> None:
    assert run(root / "examples" / "appendix_a.py").splitlines() == [
        "agent0 is at 1.00 2.00 3.00 after 1.0 s",
        "agent1 is at 4.50 5.00 6.00 after 1.0 s",
    ]


def test_appendix_b_steps_two_agents_by_random_actions(root: Path) -> None:
    path = root / "examples" / "appendix_b.py"
    lines = run(path).splitlines()
    assert [line for line in lines if line.endswith(" s")] == [
        "1.25 s",
        "2.50 s",
        "3.75 s",
        "5.00 s",
    ]
    assert sum("agent0: " in line for line in lines) == 4
    assert run(path).splitlines() == lines
