# SPDX-License-Identifier: Apache-2.0
"""`deepsim doctor`."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from importlib.metadata import requires, version
from pathlib import Path
from threading import Thread
from typing import Any
from xmlrpc.server import SimpleXMLRPCServer

import pytest
from typer.testing import CliRunner

from deepsim.cli import app


def examined() -> tuple[int, dict[str, dict[str, Any]]]:
    """The exit code, and findings by name."""
    result = CliRunner().invoke(app, ["doctor", "--json"])
    return result.exit_code, {finding["name"]: finding for finding in json.loads(result.stdout)}


@pytest.fixture(autouse=True)
def _no_ros(monkeypatch: pytest.MonkeyPatch, free_port: int) -> None:
    monkeypatch.setenv("ROS_MASTER_URI", f"http://127.0.0.1:{free_port}")


@pytest.fixture
def ros_master(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """One that knows of no topic and no service."""
    with SimpleXMLRPCServer(("127.0.0.1", 0), logRequests=False) as server:
        server.register_function(lambda caller: [1, "", [[], [], []]], "getSystemState")
        server.register_function(lambda caller, name: [-1, "no provider", 0], "lookupService")
        uri = f"http://127.0.0.1:{server.server_address[1]}"
        monkeypatch.setenv("ROS_MASTER_URI", uri)
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield uri
        server.shutdown()
        thread.join()


def test_a_sound_installation_passes() -> None:
    code, found = examined()
    assert code == 0
    assert found["Python"]["outcome"] == "ok"
    assert found["deepsim-math"] == {
        "name": "deepsim-math", "outcome": "ok", "found": version("deepsim-math"), "remedy": ""
    }  # fmt: skip
    assert found["pictures"]["outcome"] in ("ok", "missing")
    assert found["mujoco"]["found"] == version("mujoco")
    assert {"numpy", "rospy", "port 3003", "port 11311", "port 11345"} <= found.keys()
    assert "deepsim-envs[pettingzoo]" in found


def test_another_version_than_the_pinned_one_is_broken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    information = tmp_path / "deepsim_math-9.9.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: deepsim-math\nVersion: 9.9")
    monkeypatch.syspath_prepend(str(tmp_path))
    pins = dict(re.findall(r"^([\w-]+) ?\(?==([\d.]+)", "\n".join(requires("deepsim") or ()), re.M))
    code, found = examined()
    assert code == 1
    assert found["deepsim-math"]["outcome"] == "broken"
    mine, pinned = version("deepsim"), pins["deepsim-math"]
    assert f"9.9, but deepsim {mine} goes with {pinned}" in found["deepsim-math"]["found"]
    assert (
        found["deepsim-math"]["remedy"] == f"pip install --find-links dist 'deepsim-math=={pinned}'"
    )


def test_without_a_ros_master_gazebo_is_missing() -> None:
    code, found = examined()
    assert code == 0
    assert found["ROS master"]["outcome"] == "missing"
    assert "does not answer" in found["ROS master"]["found"]
    assert found["ROS master"]["remedy"].startswith("roscore")
    assert found["Gazebo plugin"]["outcome"] == "missing"


def test_a_ros_master_without_gazebo(ros_master: str) -> None:
    _, found = examined()
    assert found["ROS master"]["found"] == f"answers at {ros_master}"
    assert found["Gazebo plugin"]["outcome"] == "missing"
    assert "is gzserver running" in found["Gazebo plugin"]["found"]
    assert "libgazebo_batch_state.so" in found["Gazebo plugin"]["remedy"]


def test_a_port_that_somebody_holds_is_in_use() -> None:
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", 3003))
        except OSError:
            pytest.skip("port 3003 is taken by somebody else")
        listener.listen()
        assert examined()[1]["port 3003"]["found"].startswith("in use")


def test_a_screenful_names_each_thing_once_and_how_to_get_what_is_missing() -> None:
    result = CliRunner(env={"COLUMNS": "100"}).invoke(app, ["doctor"])
    lines = result.stdout.splitlines()
    assert lines[0].startswith("ok      all that you need is there: DeepSim ")
    assert any(re.fullmatch("ROS master +roscore, or export ROS_MASTER_URI=.*", x) for x in lines)
    names = [line.split("  ")[0] for line in lines if line and not line.startswith(" ")]
    assert len(names) == len(set(names))
    assert len(lines) < 35


def test_each_extra_is_examined_once() -> None:
    """Though deepsim's extras require a library several times."""
    found = json.loads(CliRunner().invoke(app, ["doctor", "--json"]).stdout)
    names = [finding["name"] for finding in found]
    assert len(names) == len(set(names))
