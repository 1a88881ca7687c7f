# SPDX-License-Identifier: Apache-2.0
"""Who drives: policies see what the agent sees, and nothing else."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim import Policy
from deepsim_envs import Environment

from .car import LOOKAHEAD, MAX_SPEED, MAX_STEERING, WHEELBASE

_TARGET = 2  # which point ahead to drive to
_CLEARANCE = 0.45  # to pass something by [m]
_ROOM = 0.6  # from the centre line to where a car may drive [half widths]


def random_policy(environment: Environment, rng: np.random.Generator) -> Policy:
    """Any action, evenly."""
    spaces = environment.action_space

    def act(agent: str, observation: Any) -> NDArray[np.float32]:
        space = spaces[agent]
        return rng.uniform(space.low, space.high).astype(np.float32)

    return act


def pursuit_policy(environment: Environment, rng: np.random.Generator) -> Policy:
    """Pure pursuit: drives to a point ahead on the course, and around what stands there.

    The steering angle that leads a bicycle through a point at bearing a and distance d is
    atan(2 wheelbase sin(a) / d); R. C. Coulter, CMU-RI-TR-92-01, 1992.
    """

    def act(agent: str, observation: NDArray[np.float32]) -> NDArray[np.float32]:
        speed = float(observation[0])
        points = observation[3:].reshape(-1, 2)
        course, things = points[: len(LOOKAHEAD)], points[len(LOOKAHEAD) :]
        x, y = (float(value) for value in course[_TARGET])
        bend = abs(math.atan2(*course[-1][::-1]))
        target_speed = MAX_SPEED * max(0.45, 0.85 - 0.5 * bend)
        for ahead, left in things:
            # Where the course passes the thing, as seen from the car.
            beside = float(np.interp(ahead, course[:, 0], course[:, 1]))
            if 0.0 < ahead < 2.2 and abs(left - beside) < _CLEARANCE + 0.1:
                side = -1.0 if left > beside else 1.0
                y += side * (_CLEARANCE - side * (beside - left)) if ahead < 2.0 else 0.0
                target_speed = min(target_speed, 0.5 * MAX_SPEED)
        steering = math.atan2(2 * WHEELBASE * y, x * x + y * y)
        action = [steering / MAX_STEERING, 2.0 * (target_speed - speed)]
        return np.clip(action, -1.0, 1.0).astype(np.float32)

    return act
