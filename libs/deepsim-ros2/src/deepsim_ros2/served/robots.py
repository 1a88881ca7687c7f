# SPDX-License-Identifier: Apache-2.0
"""The world frame, and which models are robots, for code with ROS and without."""

from __future__ import annotations

from collections.abc import Collection

from deepsim_sync import SCOPE, Entities

WORLD = "world"
"""The name of the world frame."""


def is_robot(name: str, entities: Entities, sensors: Collection[str]) -> bool:
    """Returns whether a model has joints or sensors of its own."""
    return any(each.startswith(name + SCOPE) for each in (*entities.joints, *sensors))
