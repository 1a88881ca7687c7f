# SPDX-License-Identifier: Apache-2.0
"""SIGINT, SIGTERM and SIGHUP end gzserver within a second, whatever it does."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from deepsim_conformance.models import BOX
from deepsim_gazebo import GazeboError, GazeboSimulator
from deepsim_math import Pose
from deepsim_sync import CameraView, SpawnRequest, Tables
from gazebo.servers import GazeboServer

Connect = Callable[..., GazeboSimulator]
VIEW = CameraView(Pose((0, 0, 2)), 1.0, 64, 48)
DEADLINE = 10.0  # [s]; on a quiet machine it takes 0.3 s


def nothing(simulator: GazeboSimulator) -> None:
    """The world stands still."""
    raise GazeboError("nothing to be repeated")


def step(simulator: GazeboSimulator) -> None:
    simulator.step(20)


def read(simulator: GazeboSimulator) -> None:
    """The world runs, and its tables are read from shared memory."""
    simulator.read(Tables(simulator.entities))


def look(simulator: GazeboSimulator) -> None:
    assert simulator.cameras is not None
    simulator.cameras.render(VIEW)


def replace(simulator: GazeboSimulator) -> None:
    """A model comes and goes, for which the server waits until the world's loop is elsewhere."""
    simulator.spawn([SpawnRequest(BOX, "guest", Pose((0, 9, 5)))])
    simulator.delete("guest")


@pytest.fixture
def restarted(server: GazeboServer) -> Iterator[GazeboServer]:
    """The server, running again after the test."""
    yield server
    if not server.running:
        server.start()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("work", [nothing, step, read, look, replace])
def test_a_signal_ends_it(
    connect: Connect,
    restarted: GazeboServer,
    work: Callable[[GazeboSimulator], None],
    number: signal.Signals,
) -> None:
    """Without a crash; SIGTERM and SIGHUP end it as they end any program."""
    simulator = connect()
    simulator.spawn([SpawnRequest(BOX, f"box{n}", Pose((3 * n, 0, 5))) for n in range(20)])
    if work is read:
        free = connect(lock_step=False)
        free.resume()
        simulator = free
    begun = threading.Event()

    def repeat() -> None:
        with contextlib.suppress(GazeboError):
            while True:
                work(simulator)
                begun.set()
        begun.set()

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    assert begun.wait(20)
    time.sleep(float(np.random.default_rng(int(number)).uniform(0.0, 0.1)))
    status = restarted.end(number, deadline=DEADLINE)
    assert status == (0 if number == signal.SIGINT else -number)
    if work is not read:  # it reads what the server left behind
        thread.join(20)
