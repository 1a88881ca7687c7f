# SPDX-License-Identifier: Apache-2.0
"""`deepsim master`, `physics` and `topic`, as processes."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import trustme
from typer.testing import CliRunner

from deepsim.cli import app
from deepsim_sync import World
from deepsim_transport import (
    Certificates,
    Credentials,
    RemoteSimulator,
    Transport,
    TransportError,
    WorldMirror,
)
from deepsim_transport.messages import WorldControl

pytestmark = pytest.mark.slow

DEEPSIM = (sys.executable, "-c", "from deepsim.cli import app; app()")


@pytest.fixture
def begin(monkeypatch) -> Iterator[Callable[..., tuple[str, subprocess.Popen[str]]]]:
    """Starts commands at a master of their own, and returns when they print their first line."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    monkeypatch.setenv("GAZEBO_MASTER_URI", f"http://localhost:{port}")
    processes = []

    def start(*words: str) -> tuple[str, subprocess.Popen[str]]:
        command = [*DEEPSIM, *words]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        processes.append(process)
        assert process.stdout is not None
        return process.stdout.readline(), process

    yield start
    for process in processes:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def printed(*words: str) -> str:
    """Returns what a command prints, which runs in this process."""
    return str(CliRunner().invoke(app, words).output)


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
    listed = printed("topic", "list", "--namespace", "lab")
    assert "/gazebo/lab/world_stats\n" in listed
    assert "/gazebo/lab/set_entity_state\n" in listed
    stats = printed("topic", "echo", "world_stats", "--namespace", "lab", "--count", "2")
    assert stats.count("model_count=1") == 2
    assert printed("topic", "info", "world_stats", "--namespace", "lab").splitlines() == [
        "/gazebo/lab/world_stats: WorldStatistics",
        "publishers: 1",
        "subscribers: 0",
        "answering: 0",
    ]
    asked = printed("topic", "info", "control", "--namespace", "lab")
    assert asked.startswith("/gazebo/lab/control: requests\n")
    assert "answering: 1" in asked
    wrong = printed("topic", "info", "world_state", "--namespace", "lab")
    assert "no topic is 'gazebo/lab/world_state'; known: ask, call," in wrong
    width = printed("topic", "bw", "world_stats", "--namespace", "lab", "--seconds", "2")
    sizes = re.match(r"\S+ kB/s, \d+ messages of (\d+) to (\d+) bytes, (\d+) on", width)
    assert sizes, width
    least, most, mean = map(int, sizes.groups())
    assert 0 < least <= mean <= most
    said, sensing = begin("sensors", "--namespace", "lab")
    assert said == "measures /gazebo/lab\n"
    scan = "sensors/box/link/scan", "--namespace", "lab"
    assert float(printed("topic", "hz", *scan, "--seconds", "2").split()[0]) > 0.0
    assert printed("topic", "info", *scan).startswith("/gazebo/lab/sensors/box/link/scan: rows\n")
    assert re.search(r"ranges \(1, 1, 3\)\n\[\[\[", printed("topic", "echo", *scan))
    for process in (sensing, physics, master):
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 128 + signal.SIGTERM


def test_models_come_and_go_by_commands(begin, tmp_path):
    """The worlds of a master are listed; a model is inserted, moved by a message, and deleted."""
    model = tmp_path / "box.sdf"
    model.write_text("<sdf version='1.7'><model name='box'><link name='link'/></model></sdf>")
    begin("master")
    begin("physics", "--paused", "--namespace", "yard")
    begin("physics", "--paused", "--namespace", "lab")
    assert printed("world", "list") == "lab\nyard\n"
    lab = "--namespace", "lab"
    assert printed("world", "insert", str(model), "box", "--at", "1", "2", "3", *lab) == ""
    simulator = RemoteSimulator(Transport(namespace="lab"))
    world = World(simulator)
    assert world.models.select(["box"]).pose[0, 0, :3].tolist() == [1, 2, 3]
    place = '{"entity_name": "box", "pose": {"position": {"x": 4.0}}}'
    assert printed("topic", "pub", "set_entity_state", "EntityState", place, *lab) == ""
    world.tick()
    assert world.models.select(["box"]).pose[0, 0, 0] == 4.0
    for words, reason in (
        (("EntityStates", "{}"), "no message is named 'EntityStates'; known: Answer"),
        (("EntityState", "{"), "is not a EntityState"),
        (("EntityState", '{"name": "box"}'), "EntityState has no field 'name'; known: entity_name"),
        (("EntityState", '{"entity_name": "bx"}'), "did you mean 'box'"),
    ):
        assert reason in printed("topic", "pub", "set_entity_state", *words, *lab)
    assert printed("world", "delete", "box", *lab) == ""
    assert "no model is named 'box'" in printed("world", "delete", "box", *lab)


def test_a_task_runs_in_the_physics_process(begin):
    """Its episodes are played; others see them, pause them, and step them by whole steps."""
    begin("master")
    said, _ = begin("physics", "cartpole", "--namespace", "cart", "--speed", "0")
    assert said == "simulates /gazebo/cart\n"
    with Transport(namespace="cart") as transport, WorldMirror(transport) as mirror:
        before = mirror.tables.joints.position.copy()
        while np.array_equal(mirror.tables.joints.position, before):
            mirror.update(timeout=1.0)
        transport.command("control", WorldControl(pause=True))
        remote = RemoteSimulator(transport)
        start = remote.time[0]
        with pytest.raises(ValueError, match="physics steps at once: n must be a multiple"):
            remote.step(1)
        assert remote.time[0] == start


def test_without_a_master_the_command_says_what_to_start(begin):
    said, physics = begin("physics")
    assert "start one by `deepsim master`" in " ".join((said + physics.stdout.read()).split())
    assert physics.wait() != 0


def test_a_master_lets_in_whom_its_files_name(begin, tmp_path):
    """With a certificate and a password of the files; half of the files is refused."""
    authority = trustme.CA()
    leaf = authority.issue_cert("127.0.0.1", "localhost")
    authority.cert_pem.write_to_path(tmp_path / "authority.pem")
    leaf.private_key_pem.write_to_path(tmp_path / "private_key.pem")
    (tmp_path / "certificate.pem").write_bytes(leaf.cert_chain_pems[0].bytes())
    users = tmp_path / "users.json"
    users.write_text('{"operators": {"ada": "correct horse"}, "viewers": {}}')
    files = "--certificates", str(tmp_path), "--users", str(users)
    assert "together" in printed("master", *files[:2])
    begin("master", *files)
    certificates = Certificates.of_folder(tmp_path)
    with Transport(credentials=Credentials(certificates, "ada", "correct horse")) as transport:
        assert transport.worlds() == ()
    with pytest.raises(TransportError):
        Transport(credentials=Credentials(certificates, "ada", "wrong"))
