# SPDX-License-Identifier: Apache-2.0
"""States seen from a moving entity instead of the world.

The twist in a frame is the difference of the two velocities along the frame's axes, as gazebo_ros
has it: the frame's own rotation does not enter. Setting is the exact inverse of getting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deepsim_math import Pose, Twist
from deepsim_sync.errors import UnknownEntityError
from deepsim_sync.port.entities import SCOPE, Kind
from deepsim_sync.port.spawning import WORLD_FRAMES

if TYPE_CHECKING:
    from deepsim_sync.world.world import World


def frame_state(world: World, frame: str) -> tuple[Pose, Twist] | None:
    """Pose and twist of a reference frame in the world; None for the world itself.

    Raises:
        UnknownEntityError: No model or link has the name.
    """
    world.require_single("A reference frame")
    if frame in WORLD_FRAMES:
        return None
    entities = world.entities
    kind: Kind = "models" if frame in entities.models else "links"
    if frame not in entities.names(kind):
        known = entities.links if SCOPE in frame else entities.models
        raise UnknownEntityError("reference frame", frame, known)
    world.cache.fetch([(kind, "pose"), (kind, "twist")])
    table = world.models if kind == "models" else world.links
    row = entities.names(kind).row(frame)
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
