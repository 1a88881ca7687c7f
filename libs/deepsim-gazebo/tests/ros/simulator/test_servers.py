# SPDX-License-Identifier: Apache-2.0
"""Capabilities of two servers as one simulator, connected to simulated servers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from deepsim_gazebo import GazeboServers
from deepsim_math import Pose
from deepsim_sync import CameraMount, CameraView, SpawnRequest, UnknownEntityError

IMU = '<sensor name="imu" type="imu"/>'
CAMERA = "eye::link::camera"


@pytest.fixture
def both(
    network: Any, other_network: Any, server: Any, other_server: Any
) -> Iterator[GazeboServers]:
    """Two worlds with a ball and an imu, which measures 0 in the first one and 1 in the other."""
    for number, each in enumerate((server, other_server)):
        each.sensors = [("ball::link::imu", IMU, 0, 0, 0)]
        each.measurements = [[float(number)] * 10]
        each.factors = np.full((1, 6), 1.0 + number)
        each.points = [[0, -1, number, 0, 0, 0, 0, 1, 0, 0, 0, 0]] * (number + 1)
    simulator = GazeboServers([network.uri, other_network.uri], shared_memory=False)
    simulator.spawn([SpawnRequest("free", "ball", Pose())])
    yield simulator
    simulator.close()


def test_rows_of_all_worlds_come_together(both: GazeboServers) -> None:
    """Measurements and factors have an axis of worlds, in the order of the servers."""
    both.sensors.watch("ball::link::imu")
    reading = both.sensors.read("ball::link::imu")
    assert reading["orientation"].tolist() == [[0.0] * 4, [1.0] * 4]
    assert both.physics.factors("mass").tolist() == [[1.0], [2.0]]
    assert list(both.sensors.infos) == ["ball::link::imu"]


def test_factors_reach_the_worlds_that_they_are_for(
    both: GazeboServers, server: Any, other_server: Any
) -> None:
    """One for each of some worlds, or one for all."""
    both.physics.scale("mass", ["ball::link"], [[3.0], [4.0]])
    assert (server.factors[0, 0], other_server.factors[0, 0]) == (3.0, 4.0)
    both.physics.scale("mass", ["ball::link"], 5.0, np.array([1]))
    assert (server.factors[0, 0], other_server.factors[0, 0]) == (3.0, 5.0)
    with pytest.raises(UnknownEntityError, match="ball::lid"):
        both.physics.scale("mass", ["ball::lid"], 2.0)


def test_one_world_is_asked_by_its_number(
    both: GazeboServers, server: Any, other_server: Any
) -> None:
    """The others are not called; a number that no world has is refused."""
    assert len(both.contacts.read(0).links) == 1
    assert both.contacts.read(1).position[:, 0].tolist() == [1.0, 1.0]
    assert both.cameras is not None
    server.calls.clear()
    assert both.cameras.render(CameraView(Pose(), width=5, height=3), 1).shape == (3, 5, 3)
    assert server.calls == []
    assert other_server.calls[-1] == "get_image"
    for number in (-1, 2):
        with pytest.raises(ValueError, match="worlds are numbers from 0 to 1"):
            both.contacts.read(number)


def test_a_camera_is_moved_in_some_worlds(both: GazeboServers) -> None:
    """The others keep the mount of the description."""
    mounts, turned = both.camera_mounts, CameraMount(Pose((0, 0, 2)), 0.75)
    assert mounts is not None
    mounts.set(CAMERA, turned, np.array([1]))
    assert mounts.get(CAMERA, 0) == mounts.described(CAMERA)
    assert mounts.get(CAMERA, 1) == turned
