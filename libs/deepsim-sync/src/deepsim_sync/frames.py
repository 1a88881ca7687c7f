# SPDX-License-Identifier: Apache-2.0
"""States seen from a moving entity instead of the world.

The twist in a frame is the difference of the two velocities along the frame's axes, as gazebo_ros
has it: the frame's own rotation does not enter. Setting is the exact inverse of getting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deepsim_math import Pose, Twist

from .entities import SCOPE
from .errors import UnknownEntityError

if TYPE_CHECKING:
    from .world import World

WORLD_FRAMES = frozenset({"", "world", "map", "/map"})
"""Names of the world frame, as gazebo_msgs knows them."""


def frame_state(world: World, frame: str) -> tuple[Pose, Twist] | None:
    """Pose and twist of a reference frame in the world; None for the world itself.

    Raises:
        UnknownEntityError: No model or link has the name.
    """
    if frame in WORLD_FRAMES:
        return None
    entities = world.entities
    if frame in entities.models:
        table, row = world.models, entities.models.row(frame)
    elif frame in entities.links:
        table, row = world.links, entities.links.row(frame)
    else:
        known = entities.links if SCOPE in frame else entities.models
        raise UnknownEntityError("reference frame", frame, known)
    return Pose.from_array(table.pose[0, row]), Twist.from_array(table.twist[0, row])


def to_world(frame: tuple[Pose, Twist] | None, pose: Pose, twist: Twist) -> tuple[Pose, Twist]:
    """A state given in a frame, in the world."""
    if frame is None:
        return pose, twist
    origin, motion = frame
    return origin @ pose, Twist(
        origin.orientation.rotate(twist.linear) + motion.linear,
        origin.orientation.rotate(twist.angular) + motion.angular,
    )


def from_world(frame: tuple[Pose, Twist] | None, pose: Pose, twist: Twist) -> tuple[Pose, Twist]:
    """A state given in the world, in a frame."""
    if frame is None:
        return pose, twist
    origin, motion = frame
    inverse = origin.inverse()
    return inverse @ pose, Twist(
        inverse.orientation.rotate(twist.linear - motion.linear),
        inverse.orientation.rotate(twist.angular - motion.angular),
    )
