# SPDX-License-Identifier: Apache-2.0
"""The installed examples, in C++ and for rospy, that read the tables in shared memory."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from deepsim_conformance.models import BOX
from deepsim_gazebo import GazeboSimulator
from deepsim_math import Pose
from deepsim_sync import SpawnRequest
from gazebo import sandbox
from gazebo.servers import ros_variables


@contextmanager
def followed(example: str, count: int) -> Iterator[subprocess.Popen[str]]:
    """The example, which prints all models `count` times; killed where it takes over a minute."""
    process = subprocess.Popen(
        sandbox.inside(["rosrun", "gazebo_batch_state", example, str(count)]),
        env={**sandbox.ENVIRONMENT, **ros_variables()},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    timer = threading.Timer(60.0, process.kill)
    timer.start()
    try:
        with process:
            yield process
    finally:
        timer.cancel()
        process.kill()


@pytest.mark.parametrize("example", ["follow_table", "follow_table.py"])
def test_it_prints_where_models_are(gazebo: GazeboSimulator, example: str) -> None:
    """Time and places as in the table, and it ends by itself."""
    gazebo.spawn([SpawnRequest(BOX, "box", Pose((1.5, -2.0, 3.25)))])
    with followed(example, 2) as process:
        output, errors = process.communicate()
    assert process.returncode == 0, errors
    assert output.splitlines() == [f"{gazebo.time[0]:.3f} box 1.500000 -2.000000 3.250000"] * 2


@pytest.mark.parametrize("example", ["follow_table", "follow_table.py"])
def test_it_follows_models_that_come(gazebo: GazeboSimulator, example: str) -> None:
    """When entities come it asks for the next file."""
    gazebo.spawn([SpawnRequest(BOX, "first", Pose())])
    with followed(example, 100_000) as process:
        assert process.stdout is not None
        assert "first" in process.stdout.readline()
        gazebo.spawn([SpawnRequest(BOX, "second", Pose((0, 0, 9)))])
        assert any("second 0.000000 0.000000 9.000000" in line for line in process.stdout)
        process.kill()
