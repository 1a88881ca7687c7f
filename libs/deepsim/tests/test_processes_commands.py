# SPDX-License-Identifier: Apache-2.0
"""`deepsim master`, `physics` and `topic`, as processes."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

DEEPSIM = (sys.executable, "-c", "from deepsim.cli import app; app()")


@pytest.fixture
def begin() -> Iterator[Callable[..., tuple[str, subprocess.Popen[str]]]]:
    """Starts commands at a master of their own, and returns when they print their first line."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "GAZEBO_MASTER_URI": f"http://localhost:{port}"}
    processes = []

    def start(*words: str) -> tuple[str, subprocess.Popen[str]]:
        command = [*DEEPSIM, *words]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        processes.append(process)
        assert process.stdout is not None
        return process.stdout.readline(), process

    yield start
    for process in processes:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def test_a_world_runs_by_itself_and_is_heard(begin, tmp_path):
    file = tmp_path / "box.world"
    file.write_text(
        "<sdf version='1.7'><world name='w'><model name='box'><link name='link'><sensor name='scan'"
        " type='ray'><ray><scan><horizontal><samples>3</samples></horizontal></scan><range><max>9"
        "</max></range></ray></sensor></link></model></world></sdf>"
    )
    said, master = begin("master")
    assert said.startswith("master at http://127.0.0.1:")
    said, physics = begin("physics", str(file), "--namespace", "lab")
    assert said == "simulates /gazebo/lab\n"
    said, listed = begin("topic", "list", "--namespace", "lab")
    assert "/gazebo/lab/world_stats\n" in said + listed.stdout.read()
    said, stats = begin("topic", "echo", "world_stats", "--namespace", "lab")
    assert "model_count=1" in said + stats.stdout.read()
    said, sensing = begin("sensors", "--namespace", "lab")
    assert said == "measures /gazebo/lab\n"
    said, rate = begin(
        "topic", "hz", "sensors/box/link/scan", "--namespace", "lab", "--seconds", "2"
    )
    assert float((said + rate.stdout.read()).split()[0]) > 0.0
    for process in (sensing, physics, master):
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 128 + signal.SIGTERM


def test_without_a_master_the_command_says_what_to_start(begin):
    said, physics = begin("physics")
    assert "start one by `deepsim master`" in " ".join((said + physics.stdout.read()).split())
    assert physics.wait() != 0
