# SPDX-License-Identifier: Apache-2.0
"""A server with another plugin, which uses ROS and changes the world as gazebo_ros does."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from deepsim_gazebo import GazeboSimulator
from deepsim_gazebo.ros.master import Master
from deepsim_gazebo.ros.tcpros import RosType, ServiceClient
from deepsim_sync import Cells, Changes
from gazebo import cache
from gazebo.servers import ADDRESS, PLUGIN, GazeboServer, RosMaster

NEIGHBOUR = cache.build() / "gazebo_batch_state/devel/lib/libneighbour_plugin.so"
TRIGGER = RosType("std_srvs/Trigger", "937c9679a518e3a18d831e57125ea522")


@pytest.fixture(scope="module")
def master() -> Iterator[RosMaster]:
    """A ROS master of these tests alone."""
    with RosMaster(11313) as master:
        yield master


@pytest.mark.parametrize("plugins", [(PLUGIN, NEIGHBOUR), (NEIGHBOUR, PLUGIN)])
def test_both_work_in_either_order(master: RosMaster, plugins: tuple[object, object]) -> None:
    """Its services stay below /gazebo, ours see the light that it puts in the place of another."""
    server = GazeboServer(
        master_uri=master.uri,
        environment={"GAZEBO_MASTER_URI": f"http://{ADDRESS}:11347"},
        plugins=plugins,
    )
    with server:
        simulator = GazeboSimulator(master.uri)
        simulator.step(5)
        assert list(simulator.entities.lights) == ["sun"]
        one = np.zeros(1, dtype=np.intp)
        cells = {("lights", "diffuse"): Cells(one, one, np.ones((1, 4)))}
        changes = Changes(simulator.entities.generation, cells)
        names = Master(master.uri, "/probe", 10.0)
        neighbour = ServiceClient(names, "/gazebo/replace_light", TRIGGER, "/probe", 10.0)
        assert neighbour.call(b"", "another light")[0] == 1
        assert [refusal[:3] for refusal in simulator.write(changes)] == [
            ("lights", "diffuse", "sun")
        ]
        assert list(simulator.entities.lights) == ["lamp"]
        assert simulator.entities.generation != changes.generation
        neighbour.close()
        simulator.close()
        assert server.end() == 0
