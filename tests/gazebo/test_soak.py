# SPDX-License-Identifier: Apache-2.0
"""Thousands of lock-step calls beside a hostile client, while the server gets signals.

Models come and go meanwhile. A long run, of 100,000 calls:

    export DEEPSIM_SOAK_CALLS=50000
    python tools/gazebo run --no-server -- .venv/bin/pytest -s tests/gazebo/test_soak.py
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from deepsim_conformance.models import HAMMER, RAISED
from deepsim_gazebo import (
    BatchStateClient,
    CallLostError,
    CallRefusedError,
    CallTimeoutError,
    ExchangeRequest,
    ExchangeStatus,
    GazeboSimulator,
    UnreachableError,
)
from deepsim_gazebo.protocol.layout import SERVICES
from deepsim_gazebo.ros.tcpros import ServiceClient
from deepsim_math import Pose
from deepsim_sync import Cells, Changes, SpawnRequest, Tables
from gazebo.servers import GazeboServer

CALLS = int(os.environ.get("DEEPSIM_SOAK_CALLS", "2000"))
LIFE = max(400, CALLS // 50)
"""Calls from one signal to the next."""
SIGNALS = (signal.SIGSTOP, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
GROWTH = 20_000  # of the server's memory in half a life [kB]
SPEED = 2.0  # m/s
STEP = 0.001  # s


class Pest:
    """A client that pauses, resumes and sends invalid requests.

    Junk in the place of a connection header is left out: at some of it roscpp 1.15 itself crashes.
    """

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.aside = threading.Event()
        """Whether it makes no calls for now."""
        self.rounds = 0
        self.lost = 0
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
                if self.aside.is_set():
                    self._stop.wait(0.05)
                    continue
                try:
                    self._round(client, raw, generator)
                except (
                    CallLostError,
                    CallRefusedError,
                    CallTimeoutError,
                    UnreachableError,
                ) as error:
                    if isinstance(error, CallRefusedError) and "the server ends" not in str(error):
                        raise
                    self.lost += 1  # the server has got a signal
                    self._stop.wait(0.05)
        except BaseException as error:
            self.failures.append(error)
        finally:
            raw.close()
            client.close()

    def _round(
        self, client: BatchStateClient, raw: ServiceClient, generator: np.random.Generator
    ) -> None:
        client.unpause()
        request = self._junk(client, generator)
        cut = int(generator.integers(0, len(request.pack())))
        with pytest.raises(CallRefusedError):
            raw.call(request.pack()[:cut], "half a request")
        client.pause()
        assert client.exchange(request).status in (ExchangeStatus.STALE, ExchangeStatus.REFUSED)
        assert None not in client.delete(["nobody", ""])
        self.rounds += 1

    def _junk(self, client: BatchStateClient, generator: np.random.Generator) -> ExchangeRequest:
        """Returns a request with rows that do not exist and values that are not finite."""
        rows = generator.integers(0, 2**32, 3)
        cells = Cells(rows * 0, rows, np.full((3, 7), np.nan))
        generation = client.names().entities.generation
        return ExchangeRequest(generation, {("models", "pose"): cells}, 0, ("lights",))


@pytest.fixture
def restarted(server: GazeboServer) -> Iterator[GazeboServer]:
    """The server, running again after the test."""
    yield server
    if not server.running:
        server.start()


@pytest.mark.parametrize("shared_memory", [False, True])
def test_no_row_is_lost(
    connect: Callable[..., GazeboSimulator],
    restarted: GazeboServer,
    empty: object,
    shared_memory: bool,
) -> None:
    """Each call writes rows, steps and reads the exact result, whatever happens around it."""
    simulator = connect(shared_memory=shared_memory)
    populate(simulator)
    generator = np.random.default_rng(1)
    signals = itertools.cycle(SIGNALS)
    memory = {}
    with Pest() as pest:
        for call in range(CALLS):
            age = call % LIFE
            if age % 100 == 50:
                simulator.spawn([SpawnRequest(HAMMER, "guest", Pose((0, 0, 90)))])
            if age % 100 == 99:
                simulator.delete("guest")
            check_a_call(simulator, generator)
            memory[age] = _resident(restarted.pid) if age in (LIFE // 2, LIFE - 1) else 0
            if age == LIFE - 1:
                assert memory[age] < memory[LIFE // 2] + GROWTH, f"kB: {memory}"
                strike(restarted, next(signals), simulator, empty, pest)
    assert not pest.failures
    assert pest.rounds > 10
    print(f"{CALLS} calls, {CALLS // LIFE} signals, {pest.rounds} rounds of junk, {pest.lost} lost")


def populate(simulator: GazeboSimulator) -> None:
    """Spawns three bodies that nothing pulls down."""
    bodies = [SpawnRequest(RAISED, name, Pose((0, 0, 5))) for name in ("a", "b", "c")]
    simulator.spawn(bodies)


def check_a_call(simulator: GazeboSimulator, generator: np.random.Generator) -> None:
    """Puts the bodies somewhere, makes some steps, and looks where they are."""
    rows = np.arange(3, dtype=np.intp)
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
    end = simulator.time[0]
    simulator.read(tables, [("models", "pose")])
    late = simulator.time[0] - end  # shared memory has the present, and somebody unpauses the world
    expected = pose[:, 0] + SPEED * (STEP * steps + late)
    np.testing.assert_allclose(tables.models.pose[0, :3, 0], expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(tables.models.pose[0, :3, 1], pose[:, 1], rtol=0, atol=1e-9)


def strike(
    server: GazeboServer,
    number: signal.Signals,
    simulator: GazeboSimulator,
    empty: object,
    pest: Pest,
) -> None:
    """Sends a signal; afterwards the bodies are there, in the same server or in the next one."""
    if number == signal.SIGSTOP:
        os.kill(server.pid, number)
        os.waitid(os.P_PID, server.pid, os.WSTOPPED | os.WNOWAIT)
        os.kill(server.pid, signal.SIGCONT)
        return
    # Gazebo 11 aborts once in a hundred times, when its transport library joins its own thread.
    expected = (0, -signal.SIGABRT) if number == signal.SIGINT else (-number,)
    assert server.end(number) in expected, server.last_words()
    pest.aside.set()
    server.start()
    pest.aside.clear()
    with contextlib.suppress(CallLostError):
        simulator.step()
    simulator.load(empty)
    populate(simulator)


def _resident(process: int) -> int:
    """Returns the memory of a process [kB]."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return int(status.partition("VmRSS:")[2].split()[0])
