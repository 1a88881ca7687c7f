# SPDX-License-Identifier: Apache-2.0
"""Drivers: policies see what the agent sees, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_envs import ArrayPolicy

from .cars import MAX_SPEED, MAX_STEERING, WHEELBASE
from .course import Floats
from .sight import LOOKAHEAD

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
        bend = np.abs(np.arctan2(course[:, -1, 1], course[:, -1, 0]))
        speed = MAX_SPEED * np.maximum(0.45, 0.85 - 0.4 * bend)
        lane = np.zeros(len(points))  # to the left of the course
        order = (-things[..., 0]).argsort(axis=1)  # the nearest last, which decides
        things = np.take_along_axis(things, order[..., None], axis=1)
        for number in range(things.shape[1]):
            ahead, left = things[:, number, 0], things[:, number, 1]
            offset = left - _course_at(ahead, course)
            aside = np.abs(offset)
            matters = (ahead > -0.6) & (ahead < _CAUTION) & (aside < _CLEARANCE)
            # Far away, the wider side; close by, the side that the car is on, if it fits there.
            side = np.where((ahead > _COMMITTED) | (aside > _NARROW), offset, left)
            past = (offset - np.copysign(_CLEARANCE, side)).clip(-_ROOM, _ROOM)
            lane = np.where(matters, past, lane)
            speed = np.where(matters, np.minimum(speed, 0.65 * MAX_SPEED), speed)
        x, y = course[:, _TARGET, 0], course[:, _TARGET, 1] + lane
        steering = np.arctan2(2 * WHEELBASE * y, x * x + y * y) / MAX_STEERING
        throttle = 2.0 * (speed - observations[:, 0])
        return np.stack([steering, throttle], axis=1).clip(-1.0, 1.0).astype(np.float32)


def _course_at(ahead: Floats, course: Floats) -> Floats:
    """Returns how far left the course is (k,) at a distance ahead (k,), between its points."""
    x, y = course[..., 0], course[..., 1]
    first = (x[:, 1:-1] <= ahead[:, None]).sum(axis=1)
    each = np.arange(len(ahead))
    x0, x1, y0, y1 = x[each, first], x[each, first + 1], y[each, first], y[each, first + 1]
    share = ((ahead - x0) / np.maximum(x1 - x0, 1e-9)).clip(0.0, 1.0)
    return y0 + share * (y1 - y0)
