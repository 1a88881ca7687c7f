# SPDX-License-Identifier: Apache-2.0
"""The frames that requests name: the world, entities, and links of entities."""

from __future__ import annotations

from typing import Any

import numpy as np

from deepsim_math import poses, quaternions
from deepsim_sync import UnknownEntityError

from .geometry import Floats, pose_of, twist_of
from .robots import WORLD
from .simulation import ServedWorld


def frame_pose(served: ServedWorld, frame: str) -> Floats:
    """Returns the pose of a frame in the world frame, (7,).

    Raises:
        UnknownEntityError: Neither an entity nor a link has the name.
    """
    world, number = served.simulation.world, served.number
    if frame in ("", WORLD):
        return np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    for rows in (world.models, world.links):
        if frame in rows.names:
            return np.asarray(rows.select([frame]).pose[number, 0])
    raise UnknownEntityError("frame", frame, (WORLD, *world.models.names))


def pose_in_world(served: ServedWorld, frame: str, pose: Any) -> Floats:
    """Returns the pose of a message in the world frame, (7,), which may be invalid as given."""
    return poses.compose(frame_pose(served, frame), pose_of(pose))


def twist_in_world(served: ServedWorld, frame: str, twist: Any) -> Floats:
    """Returns the twist of a message, whose components are along a frame's axes, in world axes."""
    turn = frame_pose(served, frame)[3:]
    return quaternions.rotate(turn, twist_of(twist).reshape(2, 3)).reshape(6)
