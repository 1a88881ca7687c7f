# SPDX-License-Identifier: Apache-2.0
"""The free ball: rolling, goals and the lines that it may not cross."""

from __future__ import annotations

import numpy as np

from deepsim_soccer.dialect import Dialect
from deepsim_soccer.field import Field
from deepsim_soccer.skills.motion import Floats
from deepsim_soccer.skills.rolling import kept_share

from .possession import Bools

_INSIDE = 0.02  # a ball that crossed a line is put back at this distance inside it [m]


class Ball:
    """The rules of a free ball, for the constants of a dialect and the lines of a field.

    Example:
        >>> ball = Ball(find_dialect("paper"), Field.of("paper"))
        >>> ball.out(np.array([[20.0, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0]]))
        array([ True])
    """

    def __init__(self, dialect: Dialect, field: Field) -> None:
        self.dialect, self.field = dialect, field
        self.half = np.array([field.length, field.width]) / 2.0
        self._outside = self.half + dialect.ball_radius
        self.deceleration = dialect.ball_decay * dialect.gravity

    def roll(self, pose: Floats, twist: Floats, period: float) -> Floats:
        """Returns the twists of free balls after a period [s], (W, 6).

        Balls within a centimetre of the ground slow down. Spin and speed decay by the same factor,
        so a rolling ball keeps rolling without slipping.
        """
        low = pose[:, 2] <= self.dialect.ball_radius + 0.01
        share = np.maximum(kept_share(twist, self.deceleration, period), ~low)  # 1 in the air
        slower: Floats = twist * share[:, None]
        slower[:, 2] = twist[:, 2]
        return slower

    def in_goal_mouth(self, pose: Floats) -> Bools:
        """Returns whether each ball is between the posts and below the bar, (W,)."""
        high = pose[:, 2] < self.field.goal_height
        return np.asarray((np.abs(pose[:, 1]) < self.field.goal_width / 2.0) & high)

    def goal(self, pose: Floats) -> Floats:
        """Returns 1 for each ball wholly in the right goal, -1 in the left one, else 0, (W,)."""
        behind = np.abs(pose[:, 0]) > self.half[0] + self.dialect.ball_radius
        return np.where(behind & self.in_goal_mouth(pose), np.sign(pose[:, 0]), 0.0)

    def out(self, pose: Floats) -> Bools:
        """Returns whether each ball is wholly outside the lines, (W,); true for goals, too."""
        over = np.abs(pose[:, :2]) > self._outside
        return np.asarray(over[:, 0] | over[:, 1])

    def kept_inside(self, pose: Floats) -> tuple[Floats, Bools]:
        """Applies the boundary rule of gazebo_visual.

        If its centre crosses a line, a ball is put back 2 cm inside it, except in a goal mouth.

        Returns:
            The poses, (W, 7), and whether each ball was put back, (W,).
        """
        over = (np.abs(pose[:, :2]) > self.half).any(axis=-1)
        over &= ~((np.abs(pose[:, 0]) > self.half[0]) & self.in_goal_mouth(pose))
        limit = self.half - _INSIDE
        inside = np.clip(pose[:, :2], -limit, limit)
        ground = np.full_like(pose[:, :1], self.dialect.ball_radius)
        put = np.concatenate([inside, ground, pose[:, 3:]], axis=1)
        return np.where(over[:, None], put, pose), over
