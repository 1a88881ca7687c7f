# SPDX-License-Identifier: Apache-2.0
"""Damaged and hostile files load as what they are, or raise the promised error with their name.

Nothing takes more than 2 s of CPU time or 300 MB, and where a file has checksums, no damage gives
other values. ``make damage`` tries 2,000 files instead of 150. `python tests/damage KIND 7 8` reads
number 7 of a kind again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(__file__).with_name("damage")
GROUPS = ("models", "recordings", "policies", "trees", "settings", "trainings")
KINDS = 18  # without those that need torch, Minari and LeRobot
COUNT = -(-int(os.environ.get("DEEPSIM_MUTANTS", "150")) // KINDS)  # of each kind
CHUNK = 250  # of each kind in one process


def read(kinds: str, first: int, last: int) -> tuple[list[Any], str]:
    """Reads damaged files in a process of their own; returns its lines, and how it died."""
    done = subprocess.run(
        [sys.executable, str(PROGRAM), kinds, str(first), str(last)],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return lines, f"ended with {done.returncode}: {done.stderr[-2000:]}" if done.returncode else ""


@pytest.mark.parametrize("group", GROUPS)
def test_damaged_files_are_read_or_refused(group: str) -> None:
    wrong: list[str] = []
    counted = 0
    waiting = [(group, first, min(first + CHUNK, COUNT)) for first in range(0, COUNT, CHUNK)]
    while waiting:
        kinds, first, last = waiting.pop()
        lines, death = read(kinds, first, last)
        assert lines, death
        found = [line for line in lines[1:] if "MB" in line]
        counted += len(found)
        wrong += [
            f"{each['kind']} {each['number']}: {each['wrong']}" for each in found if "wrong" in each
        ]
        if death:  # at the file that was begun last: go on behind it
            assert len(lines) > 1, death
            kind, number = lines[-1]["kind"], lines[-1]["number"]
            wrong.append(f"{kind} {number}: {death}")
            waiting.append((kind, number + 1, last))
            waiting += [(each, first, last) for each in lines[0][lines[0].index(kind) + 1 :]]
    assert not wrong, f"{len(wrong)} of {counted}:\n" + "\n".join(wrong)
    if not counted:
        pytest.skip("torch, Minari and LeRobot are not installed")
