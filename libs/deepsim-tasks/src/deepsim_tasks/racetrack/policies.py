# SPDX-License-Identifier: Apache-2.0
"""Drivers: policies see what the agent sees, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_envs import ArrayPolicy

from .cars import LOOKAHEAD, MAX_SPEED, MAX_STEERING, WHEELBASE
from .course import Floats

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
