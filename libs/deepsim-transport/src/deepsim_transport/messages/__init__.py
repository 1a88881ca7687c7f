# SPDX-License-Identifier: Apache-2.0
"""The messages of Gazebo 1.0, with the fields listed in the paper on it."""

from __future__ import annotations

from .protobuf import decode, encode, encoding_of, of_json
from .world import (
    Answer,
    EntityProp,
    EntityState,
    InsertEntity,
    JointProp,
    JointState,
    Marker,
    Mass,
    Point,
    Pose,
    Quaternion,
    Time,
    Twist,
    WorldControl,
    WorldState,
    WorldStatistics,
    Wrench,
)

KINDS = {
    encoding_of(kind): kind
    for kind in (
        Answer,
        EntityProp,
        EntityState,
        InsertEntity,
        JointProp,
        JointState,
        Marker,
        Mass,
        Point,
        Pose,
        Quaternion,
        Time,
        Twist,
        WorldControl,
        WorldState,
        WorldStatistics,
        Wrench,
    )
}
"""The message classes by their name on the wire; see `encoding_of`."""

__all__ = [
    "KINDS",
    "Answer",
    "EntityProp",
    "EntityState",
    "InsertEntity",
    "JointProp",
    "JointState",
    "Marker",
    "Mass",
    "Point",
    "Pose",
    "Quaternion",
    "Time",
    "Twist",
    "WorldControl",
    "WorldState",
    "WorldStatistics",
    "Wrench",
    "decode",
    "encode",
    "encoding_of",
    "of_json",
]
