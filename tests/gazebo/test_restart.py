# SPDX-License-Identifier: Apache-2.0
"""A gzserver that ends, hangs, and is started again."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from deepsim_conformance.models import BOX, RAISED
from deepsim_gazebo import (
    BatchStateClient,
    CallLostError,
    CallRefusedError,
    CallTimeoutError,
    GazeboError,
    GazeboSimulator,
    UnreachableError,
)
from deepsim_gazebo.protocol.exchange import ExchangeRequest
from deepsim_math import Pose
from deepsim_sync import SimulationError, SpawnRequest, Tables, World
from gazebo.servers import GazeboServer

Connect = Callable[..., GazeboSimulator]


@pytest.fixture
def restarted(server: GazeboServer) -> Iterator[GazeboServer]:
    """The server, running again after the test."""
    yield server
    if not server.running:
        server.start()


def start_again(server: GazeboServer) -> None:
    """Starts a server; it lets the world run as the last thing, after it has begun to answer."""
    server.start()
    client = BatchStateClient()
    while client.exchange(ExchangeRequest()).instant.iterations == 0:
        pass
    client.close()


@pytest.mark.parametrize("shared_memory", [False, True])
@pytest.mark.parametrize("end", ["kill", "end"])
def test_a_server_that_ends_costs_one_call(
    connect: Connect, restarted: GazeboServer, empty: Any, end: str, shared_memory: bool
) -> None:
    """The error is clear, and the next server is used afterwards."""
    simulator = connect(shared_memory=shared_memory)
    simulator.spawn([SpawnRequest(BOX, "box", Pose((0, 0, 5)))])
    tables = Tables(simulator.entities)
    simulator.read(tables)
    getattr(restarted, end)()
    lost = "server of the mailbox" if shared_memory else "connection to service .*/exchange"
    with pytest.raises(CallLostError, match=lost):
        simulator.step(3)
    with pytest.raises(UnreachableError):
        simulator.read(tables)
    start_again(restarted)
    simulator.load(empty)
    simulator.spawn([SpawnRequest(BOX, "again", Pose((0, 0, 5)))])
    simulator.step(10)
    assert list(simulator.entities.models) == ["again"]
    assert simulator.time == [0.01]
    tables = Tables(simulator.entities)
    simulator.read(tables)
    np.testing.assert_allclose(tables.models.twist[0, 0, 2], -0.098)


def test_a_reader_of_shared_memory_notices_that_its_server_was_killed(
    connect: Connect, restarted: GazeboServer
) -> None:
    """Though it makes no calls, and the file that it reads is still there."""
    simulator = connect(shared_memory=True, lock_step=False)
    tables = Tables(simulator.entities)
    simulator.read(tables)
    restarted.kill()
    with pytest.raises(GazeboError):
        simulator.read(tables)


def test_clients_do_not_choose_where_the_server_writes(server: GazeboServer) -> None:
    """Only directories that the server's owner lists."""
    client = BatchStateClient()
    with pytest.raises(CallRefusedError, match=r"'/etc' is neither /dev/shm nor .*"):
        client.open_shared_memory("/etc")
    client.close()


def test_a_server_ends_during_a_step(gazebo: GazeboSimulator, restarted: GazeboServer) -> None:
    """SIGINT ends the call with an error, and the server."""
    gazebo.spawn([SpawnRequest(BOX, f"box{n}", Pose((3 * n, 0, 5))) for n in range(100)])
    errors: list[GazeboError] = []

    def run() -> None:
        try:
            while True:
                gazebo.step(1000)
        except GazeboError as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    while gazebo.time[0] < 1.0:
        time.sleep(0.01)
    # Gazebo 11 aborts once in a hundred times, when its transport library joins its own thread.
    assert restarted.end() in (0, -signal.SIGABRT)
    thread.join(10)
    assert len(errors) == 1


@pytest.mark.parametrize("lock_step", [True, False])
@pytest.mark.parametrize("shared_memory", [True, False])
def test_a_restarted_server_is_a_world_that_diverged(
    connect: Connect, restarted: GazeboServer, shared_memory: bool, lock_step: bool
) -> None:
    """Every call says so until a reset, which spawns again; the next server is paused at once."""
    simulator = connect(shared_memory=shared_memory, lock_step=lock_step)
    simulator.spawn([SpawnRequest(RAISED, "mine", Pose((0, 0, 5)))])
    world = World(simulator)
    world.tick()
    restarted.kill()
    with pytest.raises(GazeboError):
        world.tick()
    start_again(restarted)
    with pytest.raises(SimulationError, match="gzserver was restarted") as caught:
        world.tick()
    assert caught.value.worlds == (0,)
    with pytest.raises(SimulationError, match="reset the world"):
        simulator.spawn([SpawnRequest(RAISED, "other", Pose((0, 0, 5)))])
    simulator.reset()
    assert list(simulator.entities.models) == ["mine"]
    before = simulator.time[0]
    world.tick()
    tables = Tables(simulator.entities)
    simulator.read(tables)
    assert tables.models.pose[0, 0, 2] == 5.0
    if lock_step:
        simulator.step()
        assert simulator.time[0] == pytest.approx(before + 0.002)


def test_a_server_that_hangs_is_reported(connect: Connect, server: GazeboServer) -> None:
    """The message has the request; later calls work again."""
    simulator = connect(timeout=3.0)
    simulator.step()
    os.kill(server.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, server.pid, os.WSTOPPED | os.WNOWAIT)
    try:
        with pytest.raises(CallTimeoutError, match=r"did not answer within 3 s; asked: 7 steps"):
            simulator.step(7)
    finally:
        os.kill(server.pid, signal.SIGCONT)
    simulator.step()
    assert simulator.time[0] >= 0.002
