# SPDX-License-Identifier: Apache-2.0
"""Who drives: policies see what the agent sees, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim import Policy
from deepsim_envs import BatchEnvironment, Environment

from .car import MAX_SPEED, MAX_STEERING, WHEELBASE
from .sight import LOOKAHEAD

_TARGET = 1  # which point ahead to drive to
_CLEARANCE = 0.65  # from the middle of a thing to the line past it [m]
_CAUTION = 3.2  # how far ahead a thing matters [m]
_ROOM = 0.6  # how far from the middle of the road a car may drive [m]
_COMMITTED = 1.3  # how close to it the side is decided [m]
_NARROW = 0.25  # a thing farther from the middle of the road leaves no room on its narrow side [m]


def random_policy(environment: Environment, rng: np.random.Generator) -> Policy:
    """Any action, evenly."""
    spaces = environment.action_space

    def act(agent: str, observation: Any) -> NDArray[np.float32]:
        space = spaces[agent]
        return rng.uniform(space.low, space.high).astype(np.float32)

    return act


class RandomBatch:
    """`random_policy` in many worlds: the same numbers, with fewer calls."""

    def __init__(self, environment: BatchEnvironment, rngs: Sequence[np.random.Generator]) -> None:
        self._spaces, self._rngs = environment.action_space, rngs

    def reset(self, chosen: NDArray[np.intp]) -> None:
        """It remembers nothing."""

    def __call__(self, agent: str, observations: Any, chosen: NDArray[np.intp]) -> Any:
        """Any action, evenly."""
        space = self._spaces[agent]
        low, high = space.low.astype(np.float64), space.high.astype(np.float64)
        drawn = [self._rngs[number].random(space.shape) for number in chosen.tolist()]
        return (low + (high - low) * np.array(drawn)).astype(np.float32)


def pursuit_policy(environment: Environment, rng: np.random.Generator) -> Policy:
    """Pure pursuit: drives to a point ahead on the course, and around what stands there.

    The steering angle that leads a bicycle through a point at bearing a and distance d is
    atan(2 wheelbase sin(a) / d); R. C. Coulter, CMU-RI-TR-92-01, 1992.
    """

    def act(agent: str, observation: NDArray[np.float32]) -> NDArray[np.float32]:
        points = observation[3:].reshape(-1, 2).astype(float)
        course, things = points[: len(LOOKAHEAD)], points[len(LOOKAHEAD) :]
        bend = abs(math.atan2(course[-1, 1], course[-1, 0]))
        speed = MAX_SPEED * max(0.45, 0.85 - 0.4 * bend)
        lane = 0.0  # to the left of the course
        for ahead, left in sorted(things.tolist(), reverse=True):
            offset = left - np.interp(ahead, course[:, 0], course[:, 1])
            if -0.6 < ahead < _CAUTION and abs(offset) < _CLEARANCE:
                # Far away, the wider side; close by, the side that the car is on, if it fits there.
                side = offset if ahead > _COMMITTED or abs(offset) > _NARROW else left
                lane = offset - math.copysign(_CLEARANCE, side)
                lane = max(-_ROOM, min(lane, _ROOM))
                speed = min(speed, 0.65 * MAX_SPEED)
        x, y = course[_TARGET] + (0.0, lane)
        steering = math.atan2(2 * WHEELBASE * y, x * x + y * y)
        action = [steering / MAX_STEERING, 2.0 * (speed - observation[0])]
        return np.clip(action, -1.0, 1.0).astype(np.float32)

    return act
