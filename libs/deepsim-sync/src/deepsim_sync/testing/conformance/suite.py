# SPDX-License-Identifier: Apache-2.0
"""All test cases in one class."""

from __future__ import annotations

from .cases import (
    CameraConformance,
    CameraMountConformance,
    ClockConformance,
    ContactConformance,
    ContactPointConformance,
    EntityConformance,
    LookConformance,
    MotionConformance,
    PhysicsPropertyConformance,
    SnapshotConformance,
    SpawnRequestConformance,
    StateConformance,
    WorldConformance,
)


class SimulatorConformance(
    EntityConformance,
    StateConformance,
    LookConformance,
    ClockConformance,
    MotionConformance,
    ContactConformance,
    ContactPointConformance,
    CameraConformance,
    CameraMountConformance,
    PhysicsPropertyConformance,
    SnapshotConformance,
    SpawnRequestConformance,
    WorldConformance,
):
    """Every case; a backend's tests are a subclass that fills in the abstract methods.

    Example::

        class TestMySimulator(SimulatorConformance):
            def make_simulator(self, worlds):
                return MySimulator(worlds, timestep=0.001, gravity=(0, 0, -9.8))

            def describe(self, sdf):
                return my_loader(sdf)

            def unbuildable(self):
                return my_loader("<a model that my engine refuses>")
    """
