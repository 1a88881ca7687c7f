# SPDX-License-Identifier: Apache-2.0
"""A striker that sees what an agent sees, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_envs import ArrayPolicy

_HOLDS = 17  # number of the observation that says whether the robot holds the ball
_CORNER = 0.7  # where it aims, to the side of the goal's middle [m]


class ChaseAndShoot(ArrayPolicy):
    """Drives to the ball; with it, turns to the far corner of the goal and shoots."""

    def act(
        self, agent: str, observations: Any, action_space: Any, rngs: Sequence[np.random.Generator]
    ) -> NDArray[np.float32]:
        """Returns velocities and kicks for each observation."""
        seen = np.asarray(observations, np.float64)
        ball, goal, holds = seen[:, :2], seen[:, 4:6], seen[:, _HOLDS] > 0.5
        place, heading = seen[:, 12:14], seen[:, 14:16]
        corner = np.where(place[:, 1] > 0.0, -_CORNER, _CORNER)
        # The corner is to the side of the goal, along y of the team's frame.
        aim = goal + corner[:, None] * np.stack([heading[:, 1], heading[:, 0]], axis=1)
        target = np.where(holds[:, None], aim, ball)
        angle = np.arctan2(target[:, 1], target[:, 0])
        distance = np.sqrt((target * target).sum(axis=1))
        faces = np.abs(angle) < 0.25
        short = np.where(holds, 4.0, np.where(faces, 0.2, 0.6))
        speed = np.clip(0.8 * (distance - short), -1.0, 1.0) / np.maximum(distance, 1e-6)
        shoots = holds & (np.abs(angle) < 0.05) & (distance < 5.0)
        turn = np.clip(1.2 * angle, -1.0, 1.0)
        none = np.full_like(turn, -1.0)
        move = speed[:, None] * target
        action = [move[:, 0], move[:, 1], turn, np.where(shoots, 1.0, -1.0), none]
        return np.stack(action, axis=1).astype(np.float32)
