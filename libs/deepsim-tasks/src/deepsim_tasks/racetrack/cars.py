# SPDX-License-Identifier: Apache-2.0
"""Cars: a bicycle model acts on the chassis, the rest is physics; what they observe; drivers.

A car observes 19 numbers: speed [m/s], yaw rate [rad/s] and offset from the centre line [half
widths]; then five points of the course ahead, the two vans and the other car, each as x (ahead) and
y (to the left) in the car's frame [m].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from deepsim_envs import ArrayPolicy
from deepsim_math import quaternions

from .course import WIDTH, Course, Floats

SIZE = (0.46, 0.31)  # length and breadth over the wheels [m]
WHEELBASE = 0.3  # [m]
MAX_STEERING = 0.5  # [rad]
MAX_SPEED = 3.0  # [m/s]
ACCELERATION = 4.0  # [m/s^2], at full throttle; brakes are twice as strong

LOOKAHEAD = np.array([0.4, 0.8, 1.2, 1.8, 2.4])  # points of the course ahead [m]
SIGHT = 5.0  # farther things are seen at this distance [m]
_HIGH = np.array([6.0, 20.0, 10.0] + 16 * [SIGHT])  # a car drives at half of that, or is pushed
_OTHERS = np.array([[0, 1, 3], [0, 1, 2]])  # of each car, among vans and cars

SPACE = Box(-_HIGH.astype(np.float32), _HIGH.astype(np.float32))


def curvature(steering: Floats) -> Floats:
    """Returns the curvature [1/m] of the way of a bicycle, for steering -1 right .. 1 left."""
    return np.tan(np.multiply(steering, MAX_STEERING, dtype=np.float64)) / WHEELBASE


def drive(
    pose: Floats, twist: Floats, throttle: Floats, curvature: Floats, delta_time: float
) -> Floats:
    """Returns the twists (W, cars, 6) of cars whose tyres do not slip.

    Args:
        pose: (W, cars, 7).
        twist: (W, cars, 6) present twists.
        throttle: (W, cars) -1 brake .. 1 full.
        curvature: (W, cars) [1/m].
        delta_time: Duration of a tick [s].
    """
    frame = quaternions.to_matrix(pose[..., 3:])
    forward, up = frame[..., 0], frame[..., 2]
    linear, angular = twist[..., :3], twist[..., 3:]
    speed = (linear * forward).sum(axis=-1)
    push = throttle * np.where(throttle * speed < 0.0, 2.0 * ACCELERATION, ACCELERATION)
    speed = (speed + push * delta_time).clip(0.0, MAX_SPEED)
    rise = (linear * up).sum(axis=-1)
    spin = speed * curvature - (angular * up).sum(axis=-1)
    driven = np.empty_like(twist)
    driven[..., :3] = forward * speed[..., None] + up * rise[..., None]
    driven[..., 3:] = angular + up * spin[..., None]
    return driven


def observe(
    course: Course, vehicles: Floats, twist: Floats, distance: Floats, offset: Floats
) -> NDArray[np.float32]:
    """Returns what the cars observe, (W, cars, 19).

    Args:
        course: The course.
        vehicles: (W, vans + cars, 7) poses.
        twist: (W, cars, 6) twists of the cars.
        distance: (W, cars) where they are along the course [m].
        offset: (W, cars) to the left of its centre line [m].
    """
    cars = vehicles[:, -len(_OTHERS) :]
    forward = quaternions.to_matrix(cars[..., 3:])[..., 0]
    seen = np.empty((*distance.shape, len(_HIGH)))
    seen[..., 0] = (twist[..., :3] * forward).sum(axis=-1)
    seen[..., 1] = twist[..., 5]
    seen[..., 2] = offset / (WIDTH / 2)
    ahead = course.point(distance[..., None] + LOOKAHEAD)
    others = vehicles[..., :2].take(_OTHERS, axis=1)
    gap = np.concatenate([ahead, others], axis=2) - cars[:, :, None, :2]
    x = gap[..., 0] * forward[..., :1] + gap[..., 1] * forward[..., 1:2]
    y = gap[..., 1] * forward[..., :1] - gap[..., 0] * forward[..., 1:2]
    scale = SIGHT / np.maximum(np.sqrt(x * x + y * y), SIGHT)
    seen[..., 3::2] = x * scale
    seen[..., 4::2] = y * scale
    return seen.clip(-_HIGH, _HIGH).astype(np.float32)


_TARGET = 1  # number of the point ahead to drive to
_CLEARANCE = 0.65  # from the middle of a thing to the line past it [m]
_CAUTION = 3.2  # distance ahead at which a thing matters [m]
_ROOM = 0.6  # how far from the middle of the road a car may drive [m]
_COMMITTED = 1.3  # distance ahead at which the side is decided [m]
_NARROW = 0.25  # a thing farther from the middle of the road leaves no room on its narrow side [m]


class RandomActions(ArrayPolicy):
    """Any action, evenly."""

    def act(
        self, agent: str, observations: Any, action_space: Any, rngs: Sequence[np.random.Generator]
    ) -> NDArray[np.float32]:
        """Draws an action for each world."""
        drawn = np.array([rng.uniform(-1.0, 1.0, action_space.shape) for rng in rngs])
        return drawn.astype(np.float32)


class PurePursuit(ArrayPolicy):
    """Drives to a point ahead on the course, and around what stands there.

    The steering angle that leads a bicycle through a point at bearing a and distance d is
    atan(2 wheelbase sin(a) / d); R. C. Coulter, CMU-RI-TR-92-01, 1992.
    """

    def act(
        self, agent: str, observations: Any, action_space: Any, rngs: Sequence[np.random.Generator]
    ) -> NDArray[np.float32]:
        """Steers and chooses a speed in each world."""
        points: Floats = observations[:, 3:].reshape(len(observations), -1, 2).astype(np.float64)
        course, things = points[:, : len(LOOKAHEAD)], points[:, len(LOOKAHEAD) :]
        ahead, left = things[..., 0], things[..., 1]
        offset = left - _course_at(ahead, course)
        aside = np.abs(offset)
        matters = (ahead > -0.6) & (ahead < _CAUTION) & (aside < _CLEARANCE)
        # Far away, the wider side; close by, the side that the car is on, if it fits there.
        side = np.where((ahead > _COMMITTED) | (aside > _NARROW), offset, left)
        lane = (offset - np.copysign(_CLEARANCE, side)).clip(-_ROOM, _ROOM)
        first = np.arange(len(points)), np.where(matters, ahead, np.inf).argmin(axis=1)
        passing = matters[first]
        lane = np.where(passing, lane[first], 0.0)  # to the left of the course
        bend = np.abs(np.arctan2(course[:, -1, 1], course[:, -1, 0]))
        speed = MAX_SPEED * np.minimum((0.85 - 0.4 * bend).clip(0.45), np.where(passing, 0.65, 1.0))
        x, y = course[:, _TARGET, 0], course[:, _TARGET, 1] + lane
        steering = np.arctan2(2 * WHEELBASE * y, x * x + y * y) / MAX_STEERING
        throttle = 2.0 * (speed - observations[:, 0])
        return np.stack([steering, throttle], axis=1).clip(-1.0, 1.0).astype(np.float32)


def _course_at(ahead: Floats, course: Floats) -> Floats:
    """Returns how far left the course is (k, n) at distances ahead (k, n), between its points."""
    first = (course[:, None, 1:-1, 0] <= ahead[..., None]).sum(axis=-1)
    world = np.arange(len(course))[:, None]
    start, end = course[world, first], course[world, first + 1]
    share = (ahead - start[..., 0]) / np.maximum(end[..., 0] - start[..., 0], 1e-9)
    return np.asarray(start[..., 1] + share.clip(0.0, 1.0) * (end[..., 1] - start[..., 1]))
