# SPDX-License-Identifier: Apache-2.0
"""`deepsim view --connect`: the world of a physics process in a viewer."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deepsim.cli import app
from deepsim_sync import World
from deepsim_transport import RemoteSimulator, Transport
from deepsim_transport.messages import Marker, Point, Pose
from deepsim_viewer.connected import connected_view

pytestmark = pytest.mark.slow

LIMIT = 60.0  # [s] of wall time
MODEL = """<model name='{name}'><pose>0 0 5000 0 0 0</pose><link name='link'><visual name='v'>
<geometry><sphere><radius>1</radius></sphere></geometry></visual></link></model>"""

Begin = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def begin(monkeypatch: pytest.MonkeyPatch) -> Iterator[Begin]:
    """Starts commands at a master of their own, and returns when they print their first line."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    monkeypatch.setenv("GAZEBO_MASTER_URI", f"http://localhost:{port}")
    processes: list[subprocess.Popen[str]] = []

    def start(*words: str, expect: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "deepsim", *words]
        process = subprocess.Popen(command, env=os.environ, stdout=subprocess.PIPE, text=True)
        processes.append(process)
        assert process.stdout is not None
        line = process.stdout.readline()
        assert re.match(expect, line), line
        process.first_line = line  # type: ignore[attr-defined]
        return process

    start("master", expect="master at")
    yield start
    for process in processes:
        process.kill()
        process.communicate()


@pytest.fixture
def physics(begin: Begin, tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    """Starts the physics of a world with one model that falls."""

    def start(model: str) -> subprocess.Popen[str]:
        file = tmp_path / f"{model}.world"
        text = MODEL.format(name=model)
        file.write_text(f"<sdf version='1.7'><world name='w'>{text}</world></sdf>")
        return begin("physics", str(file), "--namespace", "lab", expect="simulates /gazebo/lab")

    return start


def wait(condition: Callable[[], object]) -> None:
    """Waits until something holds."""
    end, pause = time.monotonic() + LIMIT, threading.Event()
    while not condition():
        assert time.monotonic() < end, "it never came"
        pause.wait(0.01)


def test_a_viewer_shows_a_physics_that_runs_rests_and_starts_again(physics) -> None:
    """A fall is seen, pause and play are those of the physics, a new physics takes its place."""
    process = physics("first")
    with (
        connected_view("lab", 0) as (viewer, _run),
        Transport(namespace="lab") as transport,
    ):
        world: World = viewer.world

        def shown() -> float:
            world.tick()
            viewer.show()
            return float(viewer.latest.models[0, 0, 2])

        assert list(viewer.latest.entities.models) == ["first"]
        wait(lambda: shown() < 4999.9)
        viewer.control.pause()
        wait(lambda: shown() and viewer.control.paused)
        remote = RemoteSimulator(transport)
        rested = float(remote.time[0])
        viewer.control.step()
        after = rested + world.steps_per_tick * remote.timestep
        wait(lambda: shown() and world.time[0] >= after - 1e-9)
        assert world.time[0] == pytest.approx(after)
        viewer.control.resume()
        wait(lambda: shown() and world.time[0] > after and not viewer.control.paused)
        process.kill()
        process.wait()
        shown()
        physics("second")
        wait(lambda: shown() and list(viewer.latest.entities.models) == ["second"])
    with Transport(namespace="lab") as transport:
        before = float(RemoteSimulator(transport).time[0])
        wait(lambda: RemoteSimulator(transport).time[0] > before)


def test_markers_of_a_topic_are_drawn(physics) -> None:
    """Each shape is a node of the scene; an empty one is removed, and a wrong one is none."""
    physics("ball")
    lines = (Point(0.0), Point(1.0), Point(1.0, 1.0))
    markers = (
        Marker("ball", "sphere", Pose(Point(2.0)), Point(0.4)),
        Marker("can", "cylinder"),
        Marker("crate", "box", color=(1.0, 0.0, 0.0, 0.5)),
        Marker("path", "line", points=lines),
        Marker("way", "arrow", points=lines[:2]),
        Marker("word", "text", text="here"),
    )
    with connected_view("lab", 0) as (viewer, _run), Transport(namespace="lab") as transport:
        publisher = transport.advertise("markers", Marker)
        wait(lambda: publisher.has_subscribers)
        drawn = viewer.server.scene.get_handle_by_name
        for marker in (Marker("bad", "cube"), Marker("dark", "box", color=(9.0,)), *markers):
            publisher.publish(marker)
        wait(lambda: drawn("/markers/word"))
        assert [drawn(f"/markers/{name}") for name in ("bad", "dark")] == [None, None]
        ball, crate = drawn("/markers/ball"), drawn("/markers/crate")
        assert (ball.radius, list(ball.position)) == (0.2, [2.0, 0.0, 0.0])
        assert (list(crate.color), crate.opacity) == ([255, 0, 0], 0.5)
        assert drawn("/markers/path").points.shape == (2, 2, 3)
        publisher.publish(Marker("ball"))
        wait(lambda: drawn("/markers/ball") is None)


def test_the_command_serves_the_page_until_it_is_interrupted(physics, begin) -> None:
    physics("ball")
    viewing = begin(
        "view", "--connect", "--namespace", "lab", "--port", "0", expect=r"http://127\.0\.0\.1:"
    )
    with urllib.request.urlopen(viewing.first_line.split()[0]) as answer:
        assert b"<html" in answer.read()
    viewing.send_signal(signal.SIGINT)
    assert viewing.wait(LIMIT) == 0


def test_what_cannot_be_connected_is_said(begin, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing to show, two things to show, no physics, and no master."""
    for words, status, reason in (
        ([], 1, "name a robot, a file, or a task: cartpole, "),
        (["walk", "--connect"], 2, "it has no effect on a running world"),
        (["--connect", "--port", "0"], 1, "nobody answers at gazebo/default/state"),
    ):
        result = CliRunner().invoke(app, ["view", *words])
        assert result.exit_code == status
        assert reason in " ".join(result.output.split())
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        monkeypatch.setenv("GAZEBO_MASTER_URI", f"http://localhost:{probe.getsockname()[1]}")
        result = CliRunner().invoke(app, ["view", "--connect"])
    assert result.exit_code == 1
    assert "deepsim master" in result.output
