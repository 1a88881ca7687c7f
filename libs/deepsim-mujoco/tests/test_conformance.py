# SPDX-License-Identifier: Apache-2.0
"""The embedded simulator passes the conformance suite of the port."""

from __future__ import annotations

from typing import Any

from deepsim_conformance import SimulatorConformance
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import GazeboXMLLoader, Inertial, LinkDescription, ModelDescription
from deepsim_sync import Simulator


class TestConformance(SimulatorConformance):
    def make_simulator(self, worlds: int) -> Simulator:
        return MujocoSimulator(worlds=worlds)

    def describe(self, sdf: str) -> ModelDescription:
        return GazeboXMLLoader().load_model(sdf)

    def unbuildable(self) -> Any:
        heavy = Inertial(mass=1e-30, ixx=1e-30, iyy=1e-30, izz=1e-30)
        return ModelDescription("broken", links=(LinkDescription("link", inertial=heavy),))
