# SPDX-License-Identifier: Apache-2.0
"""Rollouts of the racetrack, on real physics: the same bytes from any number of processes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from deepsim_envs import digest
from deepsim_train.rollout_pool import RolloutPool, Spec


def collected(root: Path, backend: str, workers: int) -> list[str]:
    """Digests of 2000 steps."""
    task = Spec("deepsim:make_environment", {"folder": "racetrack"})
    policy = "deepsim_train.rollout_pool:RandomPolicy"
    with RolloutPool(task, policy, workers, backend=backend, length=200, seed=3) as pool:
        return [digest(fragment) for fragment in pool.collect(10)]


@pytest.fixture(scope="module")
def expected(root: Path) -> list[str]:
    """What one process does by itself."""
    return collected(root, "local", 1)


def test_the_bytes_are_those_of_one_process(root: Path, expected: list[str]) -> None:
    assert collected(root, "process", 2) == expected


def test_fragments_differ_from_each_other(expected: list[str]) -> None:
    assert len(set(expected)) == 10


def test_the_page_prints_what_it_shows(root: Path, tmp_path: Path) -> None:
    """As a script of one's own, run in the clone."""
    text = (root / "docs" / "rollouts.md").read_text(encoding="utf-8")
    code = re.search(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    shown = re.search(r"^```text\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert code
    assert shown
    script = tmp_path / "collect.py"
    script.write_text(code[1])
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=root,
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.stderr == ""
    assert done.stdout == shown[1]
