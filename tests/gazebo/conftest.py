# SPDX-License-Identifier: Apache-2.0
"""Tests against a real gzserver: `make gazebo-test`; anywhere else they are skipped as a whole.

They start gzserver themselves, because some of them end it:
`python tools/gazebo run --no-server -- .venv/bin/pytest tests/gazebo`.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deepsim_gazebo import BatchStateClient, GazeboError, GazeboSimulator

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
sys.path.insert(0, str(Path(__file__).parents[2]))

from gazebo import cache, sandbox
from gazebo.servers import GazeboServer

EMPTY = SimpleNamespace(
    models=(),
    lights=(),
    physics=SimpleNamespace(max_step_size=0.001),
    gravity=(0.0, 0.0, -9.8),
)


LOST: list[str] = []
"""What servers said that ended by themselves, and what those did that answered no more."""
PATIENCE = 30.0
"""How long a server may take to answer [s]."""


@pytest.fixture(scope="session", autouse=True)
def in_sandbox() -> None:
    """Skips all tests unless they run where gzserver can be started."""
    if not sandbox.attached():
        pytest.skip("needs Gazebo: make gazebo-test")


@pytest.fixture
def empty() -> SimpleNamespace:
    """A world with nothing in it, steps of 1 ms, gravity -9.8 m/s^2."""
    return EMPTY


@pytest.fixture(scope="session")
def server() -> Iterator[GazeboServer]:
    """The gzserver of all tests, which renders; a test that ends it starts it again."""
    with GazeboServer(camera=True) as server:
        yield server


@pytest.fixture(autouse=True)
def alive(request: pytest.FixtureRequest) -> None:
    """Starts the server again where an earlier test lost it; the summary shows its last words."""
    if "server" in request.fixturenames:
        server: GazeboServer = request.getfixturevalue("server")
        if server.running and not answers():
            LOST.append(f"hung before {request.node.nodeid}:\n{stacks(server)}")
            server.kill()
        elif not server.running:
            LOST.append(f"gone before {request.node.nodeid}:\n{server.last_words()}")
        if not server.running:
            server.start()


def answers() -> bool:
    """Whether the server answers a call."""
    client = BatchStateClient(timeout=PATIENCE)
    try:
        client.names()
    except GazeboError:
        return False
    finally:
        client.close()
    return True


def stacks(server: GazeboServer) -> str:
    """Returns where each thread of a server is, in a line, if the root has gdb."""
    if not (cache.root() / "usr/bin/gdb").exists():
        return server.last_words()
    gdb = ["gdb", "-batch", "-p", str(server.pid), "-ex", "thread apply all backtrace"]
    done = subprocess.run(sandbox.inside(gdb), capture_output=True, text=True, check=False)
    threads = done.stdout.split("\nThread ")[1:]
    frame = re.compile(r"^#\d+ +(?:0x\w+ in )?(.+?) ?\(", re.MULTILINE)
    return "\n".join(
        f"thread {thread.split(maxsplit=1)[0]}: {' < '.join(frame.findall(thread))}"
        for thread in threads
    )


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Shows servers that ended or hung though no test made them."""
    for each in LOST:
        terminalreporter.section("a gzserver was lost")
        terminalreporter.write_line(each)


@pytest.fixture
def connect(server: GazeboServer) -> Iterator[Callable[..., GazeboSimulator]]:
    """Makes simulators, and empties the world before the first one is used."""
    made: list[GazeboSimulator] = []

    def connect(**options: object) -> GazeboSimulator:
        made.append(GazeboSimulator(**options))  # as the test says
        if len(made) == 1:
            made[0].load(EMPTY)
        return made[-1]

    yield connect
    for simulator in made:
        simulator.close()


@pytest.fixture
def gazebo(connect: Callable[..., GazeboSimulator]) -> GazeboSimulator:
    """An empty world in lock-step, steps of 1 ms, gravity -9.8 m/s^2."""
    return connect()
