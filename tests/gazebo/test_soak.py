# SPDX-License-Identifier: Apache-2.0
"""Thousands of lock-step calls while another client pauses, resumes and sends junk."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from deepsim_gazebo import (
    BatchStateClient,
    CallRefusedError,
    ExchangeRequest,
    GazeboSimulator,
    Status,
)
from deepsim_gazebo.protocol.services import SERVICES
from deepsim_gazebo.ros.tcpros import ServiceClient
from deepsim_math import Pose
from deepsim_sync import Cells, Changes, SpawnRequest, Tables
from deepsim_sync.testing.conformance.models import HAMMER, RAISED
from gazebo.servers import GazeboServer

CALLS = 2000
SPEED = 2.0  # m/s
STEP = 0.001  # s


class Pest:
    """A client that pauses, resumes and sends invalid requests.

    Junk in the place of a connection header is left out: at some of it roscpp 1.15 itself crashes.
    """

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.rounds = 0
        self.failures: list[BaseException] = []

    def __enter__(self) -> Pest:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(30)

    def _run(self) -> None:
        client = BatchStateClient()
        service = SERVICES["exchange"]
        name = "/gazebo_batch_state/exchange"
        raw = ServiceClient(client.master, name, service, client.caller, 10.0)
        generator = np.random.default_rng(7)
        try:
            while not self._stop.is_set():
                client.unpause()
                request = self._junk(client, generator)
                cut = int(generator.integers(0, len(request.pack())))
                with pytest.raises(CallRefusedError):
                    raw.call(request.pack()[:cut], "half a request")
                client.pause()
                assert client.exchange(request).status in (Status.STALE, Status.REFUSED)
                assert None not in client.delete(["nobody", ""])
                self.rounds += 1
        except BaseException as error:
            self.failures.append(error)
        finally:
            raw.close()
            client.close()

    def _junk(self, client: BatchStateClient, generator: np.random.Generator) -> ExchangeRequest:
        """Returns a request with rows that do not exist and values that are not finite."""
        rows = generator.integers(0, 2**32, 3)
        cells = Cells(rows * 0, rows, np.full((3, 7), np.nan))
        generation = client.names().entities.generation
        return ExchangeRequest(generation, {("models", "pose"): cells}, 0, ("lights",))


def test_no_row_is_lost(
    connect: Callable[..., GazeboSimulator], server: GazeboServer, empty: object
) -> None:
    """Each call writes rows, steps and reads the exact result, despite the other client."""
    simulator = connect(shared_memory=False)
    for name in ("a", "b", "c"):
        simulator.spawn([SpawnRequest(RAISED, name, Pose((0, 0, 5)))])
    generator = np.random.default_rng(1)
    rows = np.arange(3, dtype=np.intp)
    memory = []
    with Pest() as pest:
        for call in range(CALLS):
            if call % 100 == 50:
                simulator.spawn([SpawnRequest(HAMMER, "guest", Pose((0, 0, 90)))])
            if call % 100 == 99:
                simulator.delete("guest")
            if call % (CALLS // 3) == 0:
                memory.append(_resident(server.pid))
            tables = Tables(simulator.entities)
            pose = np.tile([0.0, 0, 5, 0, 0, 0, 1], (3, 1))
            pose[:, :2] = generator.uniform(-50, 50, (3, 2))
            twist = np.tile([SPEED, 0.0, 0, 0, 0, 0], (3, 1))
            steps = int(generator.integers(1, 6))
            batch = {
                ("models", "pose"): Cells(rows * 0, rows, pose),
                ("models", "twist"): Cells(rows * 0, rows, twist),
            }
            changes = Changes(tables.entities.generation, batch)
            assert simulator.step(steps, None, changes) == ()
            simulator.read(tables, [("models", "pose")])
            expected = pose[:, 0] + SPEED * STEP * steps
            np.testing.assert_allclose(tables.models.pose[0, :3, 0], expected, rtol=0, atol=1e-9)
            np.testing.assert_allclose(tables.models.pose[0, :3, 1], pose[:, 1], rtol=0, atol=1e-9)
    assert not pest.failures
    assert pest.rounds > 10
    assert memory[-1] < memory[1] + 20_000, f"kB over time: {memory}"


def _resident(process: int) -> int:
    """Returns the memory of a process [kB]."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return int(status.partition("VmRSS:")[2].split()[0])
