# SPDX-License-Identifier: Apache-2.0
"""Which simulator a task gets."""

from __future__ import annotations

import subprocess
import sys

import pytest

from deepsim import Backend, BackendError, MujocoSimulator, open_simulator
from deepsim_gazebo import UnreachableError
from deepsim_spawn import GazeboXMLLoader

WORLD = GazeboXMLLoader().load_world("""<sdf version="1.7"><world name="w">
  <physics type="ode"><max_step_size>0.004</max_step_size></physics>
  <model name="box"><link name="l"/></model>
</world></sdf>""")


def test_it_is_mujoco_where_nobody_chooses() -> None:
    simulator = open_simulator(WORLD)
    assert isinstance(simulator, MujocoSimulator)
    assert list(simulator.entities.models) == ["box"]
    assert simulator.timestep == 0.004


def test_a_backend_counts_what_is_opened_inside_of_it() -> None:
    with Backend("mujoco") as outer:
        open_simulator()
        with Backend("mujoco") as inner, inner:  # entering twice does no harm
            open_simulator()
        open_simulator(WORLD)
    open_simulator()
    assert (outer.opened, inner.opened) == (2, 1)


def test_many_worlds_of_gazebo_need_as_many_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert open_simulator(WORLD, 3).worlds == 3
    monkeypatch.setenv("DEEPSIM_ROS_MASTER_URIS", "http://127.0.0.1:1 http://127.0.0.1:2")
    with (
        Backend("gazebo"),
        pytest.raises(UnreachableError, match=r"3 worlds need as many .* names 2: .* --worlds 3"),
    ):
        open_simulator(WORLD, worlds=3)


def test_an_unknown_backend_is_refused() -> None:
    with pytest.raises(BackendError, match="no backend 'unity': choose mujoco or gazebo"):
        Backend("unity")


def test_gazebo_must_be_running(monkeypatch: pytest.MonkeyPatch, free_port: int) -> None:
    monkeypatch.setenv("ROS_MASTER_URI", f"http://127.0.0.1:{free_port}")
    with (
        Backend("gazebo") as backend,
        pytest.raises(
            UnreachableError, match=r"does not answer .* To start Gazebo for one command"
        ),
    ):
        open_simulator(WORLD)
    assert backend.opened == 0


def test_gazebo_is_imported_only_when_it_is_asked_for() -> None:
    script = (
        "import sys, deepsim\n"
        "deepsim.open_simulator()\n"
        "print([name for name in sys.modules if name.startswith('deepsim_gazebo')])"
    )
    printed = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert printed.stdout.strip() == "[]"
