# SPDX-License-Identifier: Apache-2.0
"""Whatever arrives, a server goes on, and whoever asks is told what was wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from transport_worlds import LIMIT, running, wait

from deepsim_mujoco import MujocoSimulator
from deepsim_sync import SimulationError, World
from deepsim_transport import (
    MessageError,
    PhysicsServer,
    Readings,
    RemoteError,
    RemoteSimulator,
    Transport,
    WorldMirror,
    messages,
)
from deepsim_transport.messages import EntityState, InsertEntity, Point, Twist, WorldControl

BOX = (
    "<sdf version='1.7'><model name='box'><link name='link'><inertial><mass>1</mass></inertial>"
    "</link></model></sdf>"
)


@pytest.fixture
def other(master, transport) -> Iterator[Transport]:
    """A second session in the same namespace."""
    with Transport(master.host, master.port) as made:
        yield made


def test_every_request_is_answered_and_every_bad_one_counted():
    """Random and damaged ones, on all topics; the world is of use afterwards."""
    script = [sys.executable, Path(__file__).with_name("hostile.py"), "2000"]
    found = json.loads(subprocess.run(script, stdout=subprocess.PIPE, check=True).stdout)
    assert 500 < found["refused"] < 2000
    assert found["counted"] == found["refused"]


def test_who_listens_counts_what_is_none_and_keeps_its_state(transport, other):
    server = PhysicsServer(MujocoSimulator(), transport, paused=True)
    with running(server):
        other.command("insert_entity", InsertEntity("box", BOX))
        mirror, readings = WorldMirror(other), Readings(other, "box::link::scan")
        rng = np.random.default_rng(2)
        for number in range(1, 31):
            payload = rng.bytes(int(rng.integers(100)))
            transport.session.put(transport.key("entity_state_update"), payload)
            wait(lambda number=number: mirror.update() or mirror.malformed == number)
            transport.session.put(transport.key("sensors/box/link/scan"), payload)
            wait(lambda number=number: readings.latest() or readings.malformed == number)
        other.command("set_entity_state", EntityState("box", messages.Pose(Point(4.0))))
        wait(lambda: mirror.update() or mirror.tables.models.pose[0, 0, 0] == 4.0)
        mirror.close()
        readings.close()


class Faulty(MujocoSimulator):
    """Breaks where it is written to or read."""

    def write(self, changes: Any) -> Any:
        raise RuntimeError("my disk is full")

    def read(self, tables: Any, columns: Any = ()) -> None:
        raise KeyError("lost")


def test_a_handler_that_raises_answers_with_its_error(transport, other):
    with running(PhysicsServer(Faulty(), transport, paused=True)):
        remote = RemoteSimulator(other)
        world = World(remote)
        other.command("insert_entity", InsertEntity("box", BOX))
        with pytest.raises(RemoteError, match="RuntimeError: my disk is full"):
            other.command("set_entity_state", EntityState("box"))
        with pytest.raises(MessageError, match="KeyError: 'lost'"):
            other.request("state", b"")
        with pytest.raises(RemoteError, match="KeyError: 'lost'"):
            _ = world.models.pose
        remote.step(2)
        assert remote.time.tolist() == pytest.approx([0.002])


def test_physics_that_diverge_rest_until_they_are_reset(transport, other, caplog):
    """The process goes on; others are told the reason by the calls that meet it."""
    with running(PhysicsServer(MujocoSimulator(), transport, paused=True)) as server:
        other.command("insert_entity", InsertEntity("box", BOX))
        fast = EntityState("box", twist=Twist(Point(1e200), Point(1e200, 1e200)))
        other.command("set_entity_state", fast)
        other.command("control", WorldControl(pause=False))
        wait(lambda: server.paused)
        assert "the physics rests: " in caplog.text
        remote = RemoteSimulator(other)
        with pytest.raises(SimulationError):
            remote.step()
        with pytest.raises(RemoteError):
            other.command("control", WorldControl(pause=True, steps=2))
        remote.reset()
        other.command("control", WorldControl(pause=False))
        wait(lambda: RemoteSimulator(other).time[0] > 0.1)
        assert not server.paused


def test_a_flood_of_requests_is_refused(transport, other):
    """Those that wait are answered when their time comes."""
    server = PhysicsServer(MujocoSimulator(), transport, paused=True)
    answers: list[str] = []

    def hear(reply: Any) -> None:
        answers.append("done" if reply.ok else reply.err.payload.to_bytes().decode())

    for _ in range(300):  # a thread of zenoh each
        other.session.get(other.key("state"), hear, timeout=LIMIT)
    wait(lambda: len(answers) == 300 - 256)
    assert set(answers) == {"busy: 256 requests wait"}
    server.run_once()
    wait(lambda: len(answers) == 300)
    assert answers[-256:] == ["done"] * 256
    server.close()


def test_no_request_holds_up_the_others_for_long(transport, other):
    with running(PhysicsServer(MujocoSimulator(), transport, paused=True)):
        with pytest.raises(ValueError, match="at most 1000000 steps, got 4294967295"):
            RemoteSimulator(other).step(2**32 - 1)
        with pytest.raises(RemoteError, match="at most 1000000 steps"):
            other.command("control", WorldControl(steps=2**32 - 1))
        remote = RemoteSimulator(other)
        assert remote.time.tolist() == [0.0]


class Counted(WorldMirror):
    """A mirror that counts how often it has asked for the whole state."""

    asked = 0

    def fetch(self) -> None:
        self.asked += 1
        super().fetch()


def test_whoever_comes_late_has_the_whole_state_once(serve, master):
    """Beside one who listens already; each state is that of its instant, and none comes twice."""
    serve("late", paused=False)
    with Transport(master.host, master.port, namespace="late") as transport:
        transport.command("insert_entity", InsertEntity("box", BOX, messages.Pose(Point(z=9e4))))
        starts: list[float] = []
        with WorldMirror(transport) as first:
            for _ in range(8):
                wait(first.update)
                with Counted(transport) as mirror:
                    times = []
                    while len(times) < 6:
                        models = mirror.tables.models
                        fell = -models.twist[0, 0, 2] / 9.8  # [s] until this instant
                        height = 9e4 - 0.5 * 9.8 * fell * (fell + 0.001)
                        assert models.pose[0, 0, 2] == pytest.approx(height, rel=1e-9)
                        times.append(float(mirror.time[0]))
                        starts.append(times[-1] - fell)
                        assert mirror.update(timeout=LIMIT)
                    assert mirror.asked == 1
                    assert times == sorted(set(times))
    assert starts == pytest.approx([starts[0]] * len(starts))
