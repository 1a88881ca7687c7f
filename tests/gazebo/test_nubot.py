# SPDX-License-Identifier: Apache-2.0
"""Controllers and coaches written for NuBot's simulations command robots of ours, over ROS."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deepsim_gazebo import GazeboSimulator

PUBLISHED = {
    "BallHandle": "f352f0080766880a151542e750a50ea8",
    "CoachInfo": "7bb01a0f4328cb28beb61d4f502c2969",
    "OminiVisionInfo": "71f66ce5416c122d9955b156151ea395",
    "PassCommands": "d50d66ad0a96e8d9eae8a7a9da579ad2",
    "Shoot": "5f7b2fca861afe65dc92d3f6a153bbec",
    "StrategyInfo": "9983cea3e357670f055f12d4322a06c9",
    "VelCmd": "914217797e9c6227112d1ec2a4b462eb",
    "WorldModelInfo": "7d184d155b8f964299d2ae834875aebd",
    "simulation_strategy": "1d84999556ec502fdeaed67902dd635f",
}
"""Checksums that genmsg computed from the published definitions, the same in both dialects."""


@pytest.mark.parametrize("dialect", ["gazebo_visual", "simatch"])
def test_a_controller_fetches_the_ball_and_shoots(
    gazebo: GazeboSimulator, root: Path, dialect: str, tmp_path: Path
) -> None:
    """By topics and services of their names and types alone; SIGINT ends the node."""
    gazebo.close()
    found = run_beside_node("nubot_controller.py", [dialect], dialect, root, tmp_path)
    assert (found["agent"], found["mates"], found["obstacles"]) == (1, 2, 3)
    assert found["forward"] > 150.0


@pytest.mark.parametrize(
    ("dialect", "length", "width"), [("gazebo_visual", 1800.0, 1200.0), ("simatch", 2200.0, 1400.0)]
)
def test_coaches_command_and_robots_tell_each_other(
    gazebo: GazeboSimulator, root: Path, dialect: str, length: float, width: float, tmp_path: Path
) -> None:
    """STOP, START, a corner and PARKING act; a team shares roles and passes with nobody else."""
    gazebo.close()
    half = [str(length / 2.0), str(width / 2.0)]
    found = run_beside_node("nubot_coach.py", half, dialect, root, tmp_path)
    assert (found["before"], found["alone"]) == (0, 0)  # STOP, as published, until a coach speaks
    assert found["point"] == [120.0, -30.0]
    assert found["balls"] == [True, True, False, False, False]
    assert found["valid"][2:] == [False, False, False]
    assert found["obstacles"] == 3
    turned = [[-x, -y] for x, y in found["rivals"]]  # into the frame of the first team
    np.testing.assert_allclose(found["opponents"], turned, atol=50.0)  # noise of 10 cm
    assert found["passes"] == [True, False, False]
    assert found["roles of rivals"] == [0, 0, 0, 0, 0]


def run_beside_node(
    program: str, arguments: list[str], dialect: str, root: Path, tmp_path: Path
) -> dict[str, Any]:
    """Runs a program while the node runs; returns what it printed, and checks the types."""
    node = [sys.executable, "-m", "examples.robocup.ros.node", "--robots", "2"]
    log = tmp_path / "node.log"
    with started([*node, "--dialect", dialect, "--speed", "4"], root, log) as run:
        done = subprocess.run(
            [sys.executable, str(Path(__file__).with_name(program)), *arguments],
            cwd=root, env={**os.environ, "ROS_HOME": str(tmp_path)},
            capture_output=True, text=True, timeout=400, check=False,
        )  # fmt: skip
        run.send_signal(signal.SIGINT)
        assert run.wait(timeout=60) == 0, log.read_text()
    assert done.returncode == 0, done.stdout + done.stderr + log.read_text()
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert {name: found["md5"][name] for name in PUBLISHED} == PUBLISHED
    return found


@contextmanager
def started(command: list[str], folder: Path, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Starts a process, and kills it if it is still there at the end."""
    with (
        log.open("wb") as out,
        subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, "ROS_HOME": str(log.parent)},
            stdout=out,
            stderr=out,
        ) as process,
    ):
        try:
            yield process
        finally:
            process.kill()
