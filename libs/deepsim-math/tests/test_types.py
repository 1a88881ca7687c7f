# SPDX-License-Identifier: Apache-2.0
"""The types tell the truth: mypy accepts what runs and refuses what does not."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("mypy")

RIGHT = """
from typing import Any
import numpy as np
from numpy.typing import NDArray
from deepsim_math import Point, Pose, Quaternion, Twist, Vector3, poses, quaternions

v, p, q, t, pose = Vector3(), Point(), Quaternion(), Twist(), Pose()
x: float = v.x + p.y + q.w + pose.position.x + t.linear.z
moved: Point = v + p
also: Point = p + v - v
way: Vector3 = p - p + v * 2.0
scaled: Point = 2 * p / 3
rows: NDArray[Any] = v + np.ones((2, 3))
more: NDArray[Any] = v * np.ones(3) - np.ones(3) @ v
turned: Point = q.rotate(p)
applied: Point = q @ p
composed: Pose = pose @ pose
placed: Point = pose @ p
twist: Twist = 2.0 * t + t / 2 - t
wide: NDArray[np.float64] = poses.compose(np.ones((2, 7)), pose)
whole: NDArray[np.float64] = quaternions.multiply(np.ones((2, 4), np.int64), [0, 0, 0, 1])
slim: NDArray[np.float32] = quaternions.slerp(np.ones((2, 4), np.float32), q, 0.5)
"""
WRONG = [
    "v.x = 5",
    "pose.position = p",
    "q.w = 1.0",
    "p + p",
    "v + 1",
    "v + (1, 2, 3)",
    "v - p",
    "q * v",
    "q * 2.0",
    "pose * pose",
    "pose @ 3",
    "Vector3(1, 2)",
    "Quaternion(1, 2, 3)",
    "wrong: NDArray[np.float32] = quaternions.normalize(np.ones((2, 4)))",
    "t + v",
    "t * t",
    "w: Vector3 = v + p",
]


def test_types(tmp_path):
    """One run of mypy over all: the right part is clean, every line of the wrong part is not."""
    source = tmp_path / "snippet.py"
    head = RIGHT.count("\n") + 1
    source.write_text(RIGHT + "\n".join(WRONG) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--config-file="]
    done = subprocess.run(
        [*command, "--cache-dir", str(tmp_path / "cache"), str(source)],
        capture_output=True,
        text=True,
    )
    lines = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
    refused = {WRONG[line - head] for line in lines if line >= head}
    assert {line for line in lines if line < head} == set(), done.stdout
    assert refused == set(WRONG), done.stdout


@pytest.mark.skipif(sys.version_info < (3, 10), reason="match statements came with Python 3.10")
def test_values_match_by_position():
    names: dict = {}
    exec(
        "from deepsim_math import Pose, Point, Quaternion\n"
        "match Pose((1, 2, 3)):\n"
        "    case Pose(Point(x, y, z), Quaternion(w=w)): found = x, y, z, w\n",
        names,
    )
    assert names["found"] == (1.0, 2.0, 3.0, 1.0)
