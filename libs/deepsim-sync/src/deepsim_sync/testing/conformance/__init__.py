# SPDX-License-Identifier: Apache-2.0
"""The conformance suite: what every simulator behind the port must do, as pytest tests.

A backend's tests subclass `SimulatorConformance`, say how a simulator is made, and are done. Needs
pytest: ``pip install deepsim-sync[testing]``.
"""

import pytest

pytest.register_assert_rewrite(f"{__name__}.bench", f"{__name__}.cases")

from .cases import (  # noqa: E402 (the asserts in it are rewritten because of the line above)
    CameraConformance,
    CameraMountConformance,
    ClockConformance,
    Conformance,
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
from .suite import SimulatorConformance  # noqa: E402 (as above)

__all__ = [
    "CameraConformance",
    "CameraMountConformance",
    "ClockConformance",
    "Conformance",
    "ContactConformance",
    "ContactPointConformance",
    "EntityConformance",
    "LookConformance",
    "MotionConformance",
    "PhysicsPropertyConformance",
    "SimulatorConformance",
    "SnapshotConformance",
    "SpawnRequestConformance",
    "StateConformance",
    "WorldConformance",
]
