# SPDX-License-Identifier: Apache-2.0
"""The conformance suite for the root's Python and a gzserver that runs; see test_root_python.py."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).parent))

from gazebo_conformance import GazeboConformance

from deepsim_gazebo import GazeboSimulator
from deepsim_sync import Simulator

EMPTY = SimpleNamespace(
    models=(),
    lights=(),
    physics=SimpleNamespace(max_step_size=0.001),
    gravity=(0.0, 0.0, -9.8),
)


class TestConformance(GazeboConformance):
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
