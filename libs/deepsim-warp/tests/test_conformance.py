# SPDX-License-Identifier: Apache-2.0
"""MuJoCo Warp passes the conformance suite of the port, on warp's CPU device."""

from __future__ import annotations

from typing import Any

import pytest

from deepsim_conformance import SimulatorConformance
from deepsim_spawn import GazeboXMLLoader, Inertial, LinkDescription, ModelDescription
from deepsim_sync import Simulator

deepsim_warp = pytest.importorskip("deepsim_warp", reason="make warp installs it")


class TestConformance(SimulatorConformance):
    world_counts = (3,)
    precision = 1e-5

    def make_simulator(self, worlds: int) -> Simulator:
        return deepsim_warp.WarpSimulator(worlds=worlds, device="cpu")

    def describe(self, sdf: str) -> ModelDescription:
        return GazeboXMLLoader().load_model(sdf)

    def unbuildable(self) -> Any:
        heavy = Inertial(mass=1e-30, ixx=1e-30, iyy=1e-30, izz=1e-30)
        return ModelDescription("broken", links=(LinkDescription("link", inertial=heavy),))
