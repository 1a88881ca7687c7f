# SPDX-License-Identifier: Apache-2.0
"""A master at a free port, and a server of the embedded simulator in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from deepsim_transport import Master, Transport

sys.path.insert(0, str(Path(__file__).parent))  # for transport_worlds, which several tests share

SERVER = """
import sys
from deepsim_mujoco import MujocoSimulator
from deepsim_transport import PhysicsServer, Transport
port, name, worlds, paused = sys.argv[1:]
with Transport("127.0.0.1", int(port), namespace=name) as transport:
    simulator = MujocoSimulator(worlds=int(worlds))
    with PhysicsServer(simulator, transport, speed=1.0, paused=paused == "paused") as server:
        print("ready", flush=True)
        server.run()
"""


@pytest.fixture(scope="session")
def master() -> Iterator[Master]:
    with Master("127.0.0.1", 0) as made:
        yield made


@pytest.fixture
def transport(master: Master) -> Iterator[Transport]:
    with Transport(master.host, master.port) as made:
        yield made


@pytest.fixture
def session(master: Master) -> Iterator[Callable[[str], Transport]]:
    """Opens sessions with the master, by the name of the world."""
    with ExitStack() as opened:
        yield lambda name: opened.enter_context(Transport(master.host, master.port, namespace=name))


@pytest.fixture(scope="session")
def start(master: Master) -> Callable[..., subprocess.Popen[str]]:
    """Starts the server of a world, and returns when it answers."""

    def begin(name: str, worlds: int = 1, *, paused: bool = True) -> subprocess.Popen[str]:
        state = "paused" if paused else "free"
        process = subprocess.Popen(
            [sys.executable, "-c", SERVER, str(master.port), name, str(worlds), state],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    return begin


@pytest.fixture
def serve(start: Callable[..., subprocess.Popen[str]]) -> Iterator[Callable[..., Any]]:
    """Starts servers, and ends them with the test."""
    processes = []

    def begin(name: str, worlds: int = 1, *, paused: bool = True) -> subprocess.Popen[str]:
        processes.append(start(name, worlds, paused=paused))
        return processes[-1]

    yield begin
    for process in processes:
        process.kill()
        process.communicate()


@pytest.fixture
def names_of_examples(master: Master, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """None; examples find the master where the environment says."""
    monkeypatch.setenv("GAZEBO_MASTER_URI", f"http://{master.host}:{master.port}")
    return {}
