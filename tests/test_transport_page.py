# SPDX-License-Identifier: Apache-2.0
"""The page on processes: each listing runs against a real physics process."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deepsim_transport import Master, Transport

PAGE = Path(__file__).parents[1] / "docs" / "transport.md"
LISTINGS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
ELSEWHERE = ("my_tracker", "Certificates.of_folder")  # names that the reader has; test_access.py
SERVER = """
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import GazeboXMLLoader
from deepsim_math import Pose
from deepsim_sync import World
from deepsim_transport import PhysicsServer, SensorServer, Transport
import threading
robot = GazeboXMLLoader().load_model("<sdf version='1.7'><model name='robot'><static>1</static>"
    "<link name='head'><sensor name='camera' type='camera'><camera><image><width>16</width>"
    "<height>9</height></image></camera></sensor></link></model></sdf>")
with Transport(namespace="lab") as transport:
    with PhysicsServer(MujocoSimulator(), transport, speed=1.0) as server:
        World(server.simulator).spawn(robot, "robot", Pose())
        threading.Thread(target=server.run, daemon=True).start()
        with SensorServer(transport, MujocoSimulator) as sensors:
            print("ready", flush=True)
            sensors.run()
"""


@pytest.fixture
def lab(monkeypatch: pytest.MonkeyPatch) -> Iterator[Transport]:
    """A master, and the world `lab` with its sensors in another process."""
    with Master("127.0.0.1", 0) as master:
        monkeypatch.setenv("GAZEBO_MASTER_URI", f"http://{master.host}:{master.port}")
        server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
        with server, Transport(namespace="lab") as transport:
            assert server.stdout is not None
            assert server.stdout.readline() == "ready\n"
            yield transport
            server.kill()


@pytest.mark.parametrize(
    "code", [each for each in LISTINGS if not any(name in each for name in ELSEWHERE)]
)
def test_a_listing_runs(code: str, lab: Transport) -> None:
    """It ends by itself, or goes on until Ctrl-C once it listens."""
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "MUJOCO_GL": os.environ.get("MUJOCO_GL", "egl")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        if "while mirror" in code or "while True" in code:
            while not lab.topics()["entity_state_update"].subscribers[1:]:
                assert process.poll() is None
            process.send_signal(signal.SIGINT)
            error = process.communicate(timeout=60.0)[1]
            assert error.rstrip().endswith("KeyboardInterrupt")
        else:
            error = process.communicate(timeout=60.0)[1]
            assert process.returncode == 0, error
