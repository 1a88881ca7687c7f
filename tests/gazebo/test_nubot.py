# SPDX-License-Identifier: Apache-2.0
"""A controller written for NuBot's simulations drives robots of ours, on real Gazebo over ROS."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deepsim_gazebo import GazeboSimulator

CONTROLLER = Path(__file__).with_name("nubot_controller.py")
PUBLISHED = {
    "BallHandle": "f352f0080766880a151542e750a50ea8",
    "Shoot": "5f7b2fca861afe65dc92d3f6a153bbec",
    "VelCmd": "914217797e9c6227112d1ec2a4b462eb",
}
"""Checksums that genpy computed from the published definitions, of both dialects."""
OF_GAZEBO_VISUAL = {"OminiVisionInfo": "18b8f1ee8d2b3404355562e6a8b63804"}


@pytest.mark.parametrize("dialect", ["gazebo_visual", "simatch"])
def test_a_controller_fetches_the_ball_and_shoots(
    gazebo: GazeboSimulator, root: Path, dialect: str, tmp_path: Path
) -> None:
    """By topics and services of their names and types alone; SIGINT ends the node."""
    gazebo.close()
    node = [sys.executable, "-m", "examples.robocup.ros.node", "--robots", "2"]
    log = tmp_path / "node.log"
    with started([*node, "--dialect", dialect, "--speed", "4"], root, log) as run:
        controller = subprocess.run(
            [sys.executable, str(CONTROLLER), dialect],
            cwd=root, env={**os.environ, "ROS_HOME": str(tmp_path)},
            capture_output=True, text=True, timeout=240, check=False,
        )  # fmt: skip
        run.send_signal(signal.SIGINT)
        assert run.wait(timeout=60) == 0, log.read_text()
    assert controller.returncode == 0, controller.stdout + controller.stderr + log.read_text()
    found = json.loads(controller.stdout.splitlines()[-1])
    assert (found["agent"], found["mates"], found["obstacles"]) == (1, 2, 3)
    assert found["forward"] > 150.0
    expected = PUBLISHED if dialect == "simatch" else {**PUBLISHED, **OF_GAZEBO_VISUAL}
    assert {name: found["md5"][name] for name in expected} == expected


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
