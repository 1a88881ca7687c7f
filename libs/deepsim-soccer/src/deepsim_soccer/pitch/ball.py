# SPDX-License-Identifier: Apache-2.0
"""The ball of each world: its rows, its rolling, and the lines that it may not cross."""

from __future__ import annotations

import numpy as np

from deepsim_soccer.dialect import Dialect
from deepsim_soccer.field import Field
from deepsim_soccer.skills.motion import Floats
from deepsim_soccer.skills.rolling import kept_share

from .possession import Bools

_INSIDE = 0.02  # how far inside a line a ball is put that crossed it [m]


class Ball:
    """Rules of a free ball.

    Args:
        dialect: Its constants.
        field: The lines.
    """

    def __init__(self, dialect: Dialect, field: Field) -> None:
        self.dialect, self.field = dialect, field
        self.half = np.array([field.length, field.width]) / 2.0
        self._outside = self.half + dialect.ball_radius
        self.deceleration = dialect.ball_decay * dialect.gravity

    def roll(self, pose: Floats, twist: Floats, period: float) -> Floats:
        """Returns the twists of free balls, (W, 6), slowed down where they are on the ground.

        The decay acts on spin and speed alike, so that a rolling ball keeps rolling. A ball that
        is less than a centimetre above the ground is on it.
        """
        low = pose[:, 2] <= self.dialect.ball_radius + 0.01
        share = np.maximum(kept_share(twist, self.deceleration, period), ~low)  # 1 in the air
        slower: Floats = twist * share[:, None]
        slower[:, 2] = twist[:, 2]
        return slower

    def in_goal_mouth(self, pose: Floats) -> Bools:
        """Returns whether a ball is between the posts and below the bar, (W,)."""
        high = pose[:, 2] < self.field.goal_height
        return np.asarray((np.abs(pose[:, 1]) < self.field.goal_width / 2.0) & high)

    def goal(self, pose: Floats) -> Floats:
        """Returns 1 where the whole ball is behind the right goal line, -1 for the left, (W,)."""
        behind = np.abs(pose[:, 0]) > self.half[0] + self.dialect.ball_radius
        return np.where(behind & self.in_goal_mouth(pose), np.sign(pose[:, 0]), 0.0)

    def out(self, pose: Floats) -> Bools:
        """Returns whether the whole ball is outside the lines, (W,); in a goal is outside, too."""
        over = np.abs(pose[:, :2]) > self._outside
        return np.asarray(over[:, 0] | over[:, 1])

    def kept_inside(self, pose: Floats) -> tuple[Floats, Bools]:
        """Returns where balls are put by the boundary rule of gazebo_visual, and which are.

        A ball whose centre is over a line is put 2 cm inside it; one in a goal mouth stays.
        """
        over = (np.abs(pose[:, :2]) > self.half).any(axis=-1)
        over &= ~((np.abs(pose[:, 0]) > self.half[0]) & self.in_goal_mouth(pose))
        limit = self.half - _INSIDE
        inside = np.clip(pose[:, :2], -limit, limit)
        ground = np.full_like(pose[:, :1], self.dialect.ball_radius)
        put = np.concatenate([inside, ground, pose[:, 3:]], axis=1)
        return np.where(over[:, None], put, pose), over
