# SPDX-License-Identifier: Apache-2.0
"""The client passes the conformance suite of the port, as far as the standard goes."""

from __future__ import annotations

import pytest

from deepsim_conformance import SimulatorConformance
from deepsim_ros2.client import Ros2Simulator
from deepsim_spawn import (
    GazeboXMLLoader,
    Inertial,
    LinkDescription,
    ModelDescription,
    WorldDescription,
)


@pytest.fixture(scope="module", autouse=True)
def _server(module_serve):
    """One server for all cases."""
    module_serve("empty")


class TestConformance(SimulatorConformance):
    """Each case has an empty world at time 0, which it loads into the server."""

    world_counts = (1,)

    def make_simulator(self, worlds):
        simulator = Ros2Simulator(timestep=0.001)
        simulator.load(WorldDescription())
        return simulator

    def describe(self, sdf):
        return GazeboXMLLoader().load_model(sdf)

    def unbuildable(self):
        heavy = Inertial(mass=1e-30, ixx=1e-30, iyy=1e-30, izz=1e-30)
        return ModelDescription("broken", links=(LinkDescription("link", inertial=heavy),))
