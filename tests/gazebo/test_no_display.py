# SPDX-License-Identifier: Apache-2.0
"""A gzserver without a display: everything but pictures works, with a reason."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from deepsim_conformance.models import EYE
from deepsim_gazebo import BatchStateClient, CallRefusedError, GazeboSimulator
from deepsim_math import Pose
from deepsim_sync import CameraView, SpawnRequest
from gazebo.servers import ADDRESS, GazeboServer, RosMaster

LIBRARY = "libgazebo_batch_state_pictures.so"


@pytest.fixture(scope="module")
def master() -> Iterator[RosMaster]:
    """The ROS master of a second gzserver."""
    with RosMaster(11312) as master:
        yield master


@pytest.fixture(scope="module")
def sightless(master: RosMaster) -> Iterator[GazeboServer]:
    """The gzserver, which has no display."""
    gazebo_master = {"GAZEBO_MASTER_URI": f"http://{ADDRESS}:11346"}
    with GazeboServer(master_uri=master.uri, environment=gazebo_master) as server:
        yield server


@pytest.fixture
def blind(master: RosMaster, sightless: GazeboServer) -> str:
    """The ROS master of a gzserver without a display."""
    assert sightless.running
    return master.uri


def test_it_has_no_cameras_and_says_why(blind: str, caplog: pytest.LogCaptureFixture) -> None:
    """The simulator in its log, the services by their answers; everything else works."""
    with caplog.at_level(logging.INFO, logger="deepsim_gazebo"):
        simulator = GazeboSimulator(blind)
    assert simulator.cameras is None
    assert "found no display" in caplog.text
    client = BatchStateClient(blind)
    assert "found no display" in client.names().no_pictures
    simulator.spawn([SpawnRequest(EYE, "eye", Pose())])
    for camera in (CameraView(Pose()), "eye::link::camera", "nowhere"):
        with pytest.raises(CallRefusedError, match="found no display"):
            client.look(camera)
    time = simulator.time
    simulator.step(5)
    np.testing.assert_allclose(simulator.time, time + 5 * simulator.timestep)
    simulator.delete("eye")
    client.close()
    simulator.close()


def test_the_command_makes_the_table_the_data_and_a_map_of_lines(
    blind: str, root: Path, tmp_path: Path
) -> None:
    """Without a film, with a message."""
    options = ["--policy", "random", "--backend", "gazebo", "--out", str(tmp_path)]
    finished = subprocess.run(
        [sys.executable, "-m", "deepsim", "run", "racetrack", *options],
        env={**os.environ, "ROS_MASTER_URI": blind},
        cwd=root, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert "racetrack_gazebo: policy random, seed 0" in finished.stdout
    assert "GazeboSimulator takes no pictures" in finished.stdout
    assert {path.name for path in tmp_path.iterdir()} == {"trajectory.csv", "map.png"}


def test_it_does_not_load_what_takes_pictures(blind: str, sightless: GazeboServer) -> None:
    """Not for models that come and go, nor when a picture is asked for."""
    simulator = GazeboSimulator(blind)
    simulator.spawn([SpawnRequest(EYE, "eye", Pose())])
    simulator.step(5)
    simulator.delete("eye")
    client = BatchStateClient(blind)
    with pytest.raises(CallRefusedError, match="found no display"):
        client.look(CameraView(Pose()))
    client.close()
    simulator.close()
    assert LIBRARY not in mapped(sightless)


def mapped(server: GazeboServer) -> str:
    """All files that a server has mapped."""
    return Path(f"/proc/{server.pid}/maps").read_text(encoding="utf-8")


def test_a_server_that_renders_loads_it(gazebo: GazeboSimulator, server: GazeboServer) -> None:
    """With the first picture."""
    assert gazebo.cameras is not None
    gazebo.cameras.render(CameraView(Pose(), width=8, height=8))
    assert LIBRARY in mapped(server)
