# SPDX-License-Identifier: Apache-2.0
"""The conformance suite for the root's Python and a gzserver that runs; see test_root_python.py."""

from __future__ import annotations

from types import SimpleNamespace

from deepsim_gazebo import GazeboSimulator
from deepsim_sync import Simulator
from deepsim_sync.testing.conformance import SimulatorConformance

EMPTY = SimpleNamespace(
    models=(),
    lights=(),
    physics=SimpleNamespace(max_step_size=0.001),
    gravity=(0.0, 0.0, -9.8),
)


class TestConformance(SimulatorConformance):
    """Reads through shared memory."""

    world_counts = (1,)

    def make_simulator(self, worlds: int) -> Simulator:
        assert worlds == 1
        simulator = GazeboSimulator()
        simulator.load(EMPTY)
        return simulator

    def describe(self, sdf: str) -> str:
        return sdf

    def unbuildable(self) -> str:
        return "<sdf version='1.6'><model name='broken'><link name='link'></model></sdf>"
