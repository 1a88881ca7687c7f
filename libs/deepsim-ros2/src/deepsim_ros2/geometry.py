# SPDX-License-Identifier: Apache-2.0
"""Poses and twists as arrays and as messages of geometry_msgs; the world frame, and robots."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import SCOPE, Entities

Floats = NDArray[np.float64]
WORLD = "world"
"""The name of the world frame."""


def pose_of(message: Any) -> Floats:
    """Returns a Pose as an array, (7,): x y z [m], qx qy qz qw, as given."""
    p, q = message.position, message.orientation
    return np.array([p.x, p.y, p.z, q.x, q.y, q.z, q.w])


def twist_of(message: Any) -> Floats:
    """Returns a Twist as an array, (6,): linear [m/s], angular [rad/s]."""
    v, w = message.linear, message.angular
    return np.array([v.x, v.y, v.z, w.x, w.y, w.z])


def transform_of(message: Any) -> Floats:
    """Returns a Transform as an array, (7,): x y z [m], qx qy qz qw, as given."""
    p, q = message.translation, message.rotation
    return np.array([p.x, p.y, p.z, q.x, q.y, q.z, q.w])


def seconds(stamp: Any) -> float:
    """Returns a Time in seconds."""
    return float(stamp.sec + stamp.nanosec * 1e-9)


def write_pose(message: Any, pose: Floats) -> None:
    """Writes a pose, (7,), into a Pose."""
    p, q = message.position, message.orientation
    p.x, p.y, p.z, q.x, q.y, q.z, q.w = pose.tolist()


def write_transform(message: Any, pose: Floats) -> None:
    """Writes a pose, (7,), into a Transform."""
    p, q = message.translation, message.rotation
    p.x, p.y, p.z, q.x, q.y, q.z, q.w = pose.tolist()


def write_twist(message: Any, twist: Floats) -> None:
    """Writes linear and angular components, (6,), into a Twist or an Accel."""
    v, w = message.linear, message.angular
    v.x, v.y, v.z, w.x, w.y, w.z = twist.tolist()


def write_vector(message: Any, vector: Floats) -> None:
    """Writes three components into a Vector3."""
    message.x, message.y, message.z = vector.tolist()


def write_time(message: Any, seconds: float) -> None:
    """Writes a time [s] into a Time, rounded to nanoseconds."""
    message.sec, message.nanosec = divmod(round(seconds * 1e9), 10**9)


def is_robot(name: str, entities: Entities, sensors: Collection[str]) -> bool:
    """Returns whether a model has joints or sensors of its own."""
    return any(each.startswith(name + SCOPE) for each in (*entities.joints, *sensors))
