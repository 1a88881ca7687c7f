# SPDX-License-Identifier: Apache-2.0
"""What a car observes: itself, the course ahead, and who else is on the road.

A vector of 3 + 2 * 5 + 2 * n numbers: speed [m/s], yaw rate [rad/s], offset from the centre line
[half widths]; then points of the course ahead and the n others on the road, each as x (ahead) and
y (to the left) in the car's frame [m].
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import ArrayLike, NDArray

from deepsim_math import Point
from deepsim_sync import Transform

from .centreline import WIDTH, Centreline, Place

LOOKAHEAD = (0.4, 0.8, 1.2, 1.8, 2.4)
"""How far ahead along the course the car sees points of it [m]."""
SIGHT = 5.0
"""Farther things are seen at this distance [m]."""
MAX_SPEED = 6.0
"""It sees no higher speed of its own [m/s]; it drives half as fast."""
MAX_YAW_RATE = 20.0
"""A car that is hit may turn faster, but sees no more than this [rad/s]."""
MAX_OFFSET = 10.0
"""It sees no more than this offset from the centre line [half widths]."""

OWN_LIMITS = (MAX_SPEED, MAX_YAW_RATE, MAX_OFFSET)
"""Of the first three numbers."""


def space(others: int) -> Box:
    """All that a car may observe.

    Args:
        others: How many others are on the road.
    """
    points = [SIGHT] * (2 * len(LOOKAHEAD) + 2 * others)
    high = np.array([*OWN_LIMITS, *points], dtype=np.float32)
    return Box(-high, high)


def look(
    car: Transform, course: Centreline, at: Place, others: Sequence[Point]
) -> NDArray[np.float32]:
    """What a car observes now.

    Args:
        car: The car.
        course: Where it drives.
        at: Where it is on the course.
        others: Where the others are, in the world frame [m].
    """
    pose, twist = car.pose, car.twist
    position = np.array([pose.position.x, pose.position.y])
    forward = car.forward
    ahead = course.point(at.distance + np.array(LOOKAHEAD)) - position
    things = np.array([tuple(other)[:2] for other in others]).reshape(-1, 2) - position
    seen = in_frame(np.concatenate([ahead, things]), forward.x, forward.y)
    speed = pose.inverse().orientation.rotate(twist.linear).x
    own = [speed, twist.angular.z, at.offset / (WIDTH / 2)]
    own = np.clip(own, np.negative(OWN_LIMITS), OWN_LIMITS)
    return np.concatenate([own, seen.ravel()]).astype(np.float32)


def in_frame(gap: NDArray[np.float64], x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
    """Points (..., 2) ahead and to the left of a car, no farther than it sees [m].

    Args:
        gap: From the car to the points, (..., 2) in the world frame [m].
        x: Of the direction in which the car points, (...).
        y: Likewise.
    """
    # Term by term: the bits of a product of matrices depend on the machine.
    ahead = gap[..., 0] * x + gap[..., 1] * y
    left = gap[..., 1] * x - gap[..., 0] * y
    distance = np.maximum(np.sqrt(ahead * ahead + left * left), 1e-9)
    near = np.minimum(1.0, SIGHT / distance)
    return np.stack([ahead * near, left * near], axis=-1)
