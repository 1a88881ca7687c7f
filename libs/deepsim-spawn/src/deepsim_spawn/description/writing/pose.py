# SPDX-License-Identifier: Apache-2.0
"""`<pose>` elements."""

from __future__ import annotations

from lxml import etree

from deepsim_math import Pose

from .values import put


def write_pose(owner: etree._Element, pose: Pose) -> None:
    """Adds a pose unless it is the identity; SDF 1.7 has no quaternions, only roll-pitch-yaw."""
    if pose != Pose():
        put(owner, "pose", (*pose.position, *pose.orientation.to_euler()))
