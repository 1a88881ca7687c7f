# SPDX-License-Identifier: Apache-2.0
"""Gazebo passes the conformance suite of the port, through shared memory and through ROS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from gazebo_conformance import GazeboConformance

from deepsim_gazebo import GazeboSimulator
from deepsim_sync import Simulator


class TestConformance(GazeboConformance):
    """Reads through shared memory."""

    world_counts = (1,)
    shared_memory: ClassVar[bool] = True

    @pytest.fixture(autouse=True)
    def _connect(self, connect: Callable[..., GazeboSimulator], empty: Any) -> None:
        self.connect = connect
        self.empty = empty

    def make_simulator(self, worlds: int) -> Simulator:
        assert worlds == 1
        simulator = self.connect(shared_memory=self.shared_memory)
        simulator.load(self.empty)
        return simulator

    def describe(self, sdf: str) -> str:
        return sdf

    def unbuildable(self) -> str:
        return "<sdf version='1.6'><model name='broken'><link name='link'></model></sdf>"


class TestConformanceThroughROS(TestConformance):
    """Reads through ROS."""

    shared_memory = False
