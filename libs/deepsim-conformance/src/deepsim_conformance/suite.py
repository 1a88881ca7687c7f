# SPDX-License-Identifier: Apache-2.0
"""All cases in one class."""

from __future__ import annotations

from .cameras import CameraCases
from .contacts import ContactCases
from .entities import EntityCases
from .forces import DynamicsCases, ForceCases
from .joints import BallJointCases, JointCases
from .motion import ClockCases, FlightCases, TwistCases
from .physics_properties import PhysicsPropertyCases
from .sensors import SensorCases
from .snapshots import SnapshotCases
from .states import StateCases
from .worlds import WorldCases


class SimulatorConformance(
    EntityCases,
    StateCases,
    ClockCases,
    FlightCases,
    ContactCases,
    ForceCases,
    JointCases,
    BallJointCases,
    TwistCases,
    DynamicsCases,
    WorldCases,
    CameraCases,
    PhysicsPropertyCases,
    SensorCases,
    SnapshotCases,
):
    """All tests of the port.

    The tests of a simulator subclass it and implement the abstract methods.
    """
