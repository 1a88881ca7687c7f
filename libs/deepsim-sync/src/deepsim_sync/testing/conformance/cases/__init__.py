# SPDX-License-Identifier: Apache-2.0
"""The test cases of the conformance suite, one class per subject."""

from .base import Conformance
from .camera_mounts import CameraMountConformance
from .cameras import CameraConformance
from .clock import ClockConformance
from .contact_points import ContactPointConformance
from .contacts import ContactConformance
from .entities import EntityConformance
from .looks import LookConformance
from .motion import MotionConformance
from .physics_properties import PhysicsPropertyConformance
from .snapshots import SnapshotConformance
from .spawn_requests import SpawnRequestConformance
from .states import StateConformance
from .worlds import WorldConformance

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
    "SnapshotConformance",
    "SpawnRequestConformance",
    "StateConformance",
    "WorldConformance",
]
