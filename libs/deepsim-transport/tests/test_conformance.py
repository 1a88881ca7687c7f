# SPDX-License-Identifier: Apache-2.0
"""The embedded simulator of another process passes the conformance suite of the port."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from deepsim_conformance import SimulatorConformance
from deepsim_spawn import GazeboXMLLoader, Inertial, LinkDescription, ModelDescription
from deepsim_sync import Simulator
from deepsim_transport import Master, RemoteSimulator, Transport

WORLDS = (1, 3)


@pytest.fixture(autouse=True, scope="module")
def _servers(start: Callable[..., Any]) -> Iterator[None]:
    """A process for each number of worlds."""
    processes = [start(f"suite{worlds}", worlds) for worlds in WORLDS]
    yield
    for process in processes:
        process.kill()
        process.communicate()


class TestConformance(SimulatorConformance):
    """Each case has the server of its number of worlds, empty and at time 0."""

    world_counts = WORLDS

    @pytest.fixture(autouse=True)
    def _reached(self, master: Master) -> None:
        self.master = master

    def make_simulator(self, worlds: int) -> Simulator:
        transport = Transport(self.master.host, self.master.port, namespace=f"suite{worlds}")
        simulator = RemoteSimulator(transport)
        for name in [name for name in simulator.entities.models if "::" not in name]:
            simulator.delete(name)
        simulator.reset()
        return simulator

    def describe(self, sdf: str) -> ModelDescription:
        return GazeboXMLLoader().load_model(sdf)

    def unbuildable(self) -> Any:
        heavy = Inertial(mass=1e-30, ixx=1e-30, iyy=1e-30, izz=1e-30)
        return ModelDescription("broken", links=(LinkDescription("link", inertial=heavy),))
