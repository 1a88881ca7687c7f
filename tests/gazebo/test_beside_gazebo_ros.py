# SPDX-License-Identifier: Apache-2.0
"""A server with gazebo_ros, or with a plugin that uses ROS and changes the world as it does."""

from __future__ import annotations

import struct
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

from deepsim_conformance.models import RAISED
from deepsim_gazebo import GazeboSimulator
from deepsim_gazebo.ros.serialization import pack_string
from deepsim_gazebo.ros.tcpros import Master, RosType, ServiceClient
from deepsim_math import Pose
from deepsim_sync import Cells, Changes, SpawnRequest, Tables
from gazebo import cache
from gazebo.servers import ADDRESS, PLUGIN, GazeboServer, RosMaster

NEIGHBOUR = cache.build() / "gazebo_batch_state/devel/lib/libneighbour_plugin.so"
REAL = cache.install() / "lib/libgazebo_ros_api_plugin.so"
OTHER = REAL if REAL.exists() else NEIGHBOUR
EMPTY = "d41d8cd98f00b204e9800998ecf8427e"
TYPES = {
    "replace_light": RosType("std_srvs/Trigger", "937c9679a518e3a18d831e57125ea522"),
    "unpause_physics": RosType("std_srvs/Empty", EMPTY),
    "set_model_state": RosType("gazebo_msgs/SetModelState", "5b3ab0281d4f5445def017e3a2e4a07b"),
    "spawn_sdf_model": RosType("gazebo_msgs/SpawnModel", "9ed9c82c96abe1a00c3e8cdaeee24413"),
    "delete_model": RosType("gazebo_msgs/DeleteModel", "9ce56b4e9e54616de25d796dc972a262"),
}
POSE = struct.Struct("<7d")
THINKING = 0.15  # s; longer than a server holds its world for the next call


@pytest.fixture(scope="module")
def master() -> Iterator[RosMaster]:
    """A ROS master of these tests alone."""
    with RosMaster(11313) as master:
        yield master


def server_with(master: RosMaster, plugins: tuple[object, ...]) -> GazeboServer:
    return GazeboServer(
        master_uri=master.uri,
        environment={"GAZEBO_MASTER_URI": f"http://{ADDRESS}:11347"},
        plugins=plugins,  # names and paths
    )


class Other:
    """A node that calls the other plugin's services."""

    def __init__(self, uri: str) -> None:
        names = Master(uri, "/probe", 10.0)
        self._services = {
            name: ServiceClient(names, f"/gazebo/{name}", kind, "/probe", 10.0)
            for name, kind in TYPES.items()
        }

    def call(self, name: str, body: bytes = b"") -> bytes:
        answer = self._services[name].call(body, name)
        assert not answer or answer[0] == 1, answer
        return answer

    def put(self, model: str, height: float) -> None:
        """Sets the height of a model, which is at rest then."""
        pose = POSE.pack(0, 0, height, 0, 0, 0, 1)
        self.call("set_model_state", pack_string(model) + pose + bytes(48) + pack_string("world"))

    def spawn(self, model: str) -> None:
        pose = POSE.pack(0, 0, 20, 0, 0, 0, 1)
        names = pack_string(model) + pack_string(RAISED) + pack_string("")
        self.call("spawn_sdf_model", names + pose + pack_string("world"))

    def close(self) -> None:
        for service in self._services.values():
            service.close()


@pytest.mark.parametrize("plugins", [(PLUGIN, NEIGHBOUR), (NEIGHBOUR, PLUGIN)])
def test_both_work_in_either_order(master: RosMaster, plugins: tuple[object, object]) -> None:
    """Its services stay below /gazebo, ours see the light that it puts in the place of another."""
    with server_with(master, plugins) as server:
        simulator = GazeboSimulator(master.uri)
        simulator.step(5)
        assert list(simulator.entities.lights) == ["sun"]
        one = np.zeros(1, dtype=np.intp)
        cells = {("lights", "diffuse"): Cells(one, one, np.ones((1, 4)))}
        changes = Changes(simulator.entities.generation, cells)
        other = Other(master.uri)
        other.call("replace_light")
        assert [refusal[:3] for refusal in simulator.write(changes)] == [
            ("lights", "diffuse", "sun")
        ]
        assert list(simulator.entities.lights) == ["lamp"]
        assert simulator.entities.generation != changes.generation
        other.close()
        simulator.close()
        assert server.end() == 0


@pytest.fixture(scope="module")
def shared(master: RosMaster) -> Iterator[str]:
    """The ROS master of a server that has the other plugin too."""
    with server_with(master, (OTHER, PLUGIN)):
        yield master.uri


@pytest.fixture
def other(shared: str) -> Iterator[Other]:
    other = Other(shared)
    yield other
    other.close()


@pytest.fixture(params=[True, False], ids=["shared memory", "ROS"])
def simulator(shared: str, request: pytest.FixtureRequest) -> Iterator[GazeboSimulator]:
    """A world with one body that nothing pulls down, in steps of 1 ms."""
    simulator = GazeboSimulator(shared, shared_memory=request.param)
    for name in [each for each in simulator.entities.models if each != "ground_plane"]:
        simulator.delete(name)
    simulator.spawn([SpawnRequest(RAISED, "body", Pose((0, 0, 5)))])
    yield simulator
    simulator.close()


def height(simulator: GazeboSimulator, tables: Tables) -> float:
    simulator.read(tables, [("models", "pose")])
    return float(tables.models.pose[0, tables.entities.models.row("body"), 2])


def test_steps_are_exact_while_another_node_sets_models(
    simulator: GazeboSimulator, other: Other
) -> None:
    """Also while a policy thinks for longer than the world is held between two calls."""
    for tick in range(5):
        before = simulator.time[0]
        simulator.step(10)
        assert simulator.time[0] == pytest.approx(before + 0.01, abs=1e-12), f"tick {tick}"
        end = time.monotonic() + THINKING
        while time.monotonic() < end:
            other.put("body", 7.0)


def test_steps_are_exact_while_another_node_lets_the_world_run(
    simulator: GazeboSimulator, other: Other, shared: str
) -> None:
    """From a thread of its own, as often as it can; the body moves with the steps alone."""
    tables = Tables(simulator.entities)
    row = tables.entities.models.row("body")
    here = np.array([row], dtype=np.intp)
    speed = Cells(np.zeros(1, np.intp), here, np.array([[1.0, 0, 0, 0, 0, 0]]))
    simulator.write(Changes(tables.entities.generation, {("models", "twist"): speed}))
    simulator.read(tables)
    start, place = simulator.time[0], tables.models.pose[0, row, 0]
    done = threading.Event()

    def meddle() -> None:
        meddler = Other(shared)
        while not done.is_set():
            meddler.call("unpause_physics")
        meddler.close()

    thread = threading.Thread(target=meddle)
    thread.start()
    try:
        for _ in range(300):
            simulator.step(2)
        end = time.monotonic() + THINKING
        while time.monotonic() < end:
            other.call("unpause_physics")
        simulator.step(1)
    finally:
        done.set()
        thread.join()
    simulator.read(tables)
    assert simulator.time[0] - start == pytest.approx(0.601, abs=1e-9)
    assert tables.models.pose[0, row, 0] - place == pytest.approx(0.601, abs=1e-9)


def test_a_read_has_what_another_node_set(simulator: GazeboSimulator, other: Other) -> None:
    """In a world that stands still, whatever was read before and however often."""
    tables = Tables(simulator.entities)
    simulator.step()
    for number in range(20):
        other.put("body", 10.0 + number)
        assert height(simulator, tables) == 10.0 + number
        assert height(simulator, tables) == 10.0 + number
    simulator.step()
    end = time.monotonic() + THINKING
    while time.monotonic() < end:  # the answer of that step is of the past then
        other.put("body", 50.0)
    assert height(simulator, tables) == 50.0


def test_a_read_sees_models_come_and_go(simulator: GazeboSimulator, other: Other) -> None:
    """Those that another node spawns and deletes while the world stands still."""
    simulator.step()
    simulator.read(Tables(simulator.entities))
    other.spawn("guest")
    simulator.read(Tables(simulator.entities))
    assert "guest" in simulator.entities.models
    other.call("delete_model", pack_string("guest"))
    simulator.read(Tables(simulator.entities))
    assert "guest" not in simulator.entities.models
