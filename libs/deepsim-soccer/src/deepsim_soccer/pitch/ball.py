# SPDX-License-Identifier: Apache-2.0
"""The ball: rolling, goals, the lines that it may not cross, and the robot that holds it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deepsim_soccer.dialect import Dialect
from deepsim_soccer.field import Field
from deepsim_soccer.skills.ball import kept_share
from deepsim_soccer.skills.motion import Floats

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


NOBODY = -1
"""The code for the holder of a free ball."""

Bools = NDArray[np.bool_]
Numbers = NDArray[np.intp]


def next_holder(
    holder: Numbers, able: Bools, distance: Floats, team: Numbers, lot: Numbers, ends: Bools
) -> Numbers:
    """Returns the number of the robot that holds the ball, or `NOBODY`, (W,).

    The holder keeps the ball as long as it is able to; otherwise the nearest robot that is able to
    gets it. If robots of both teams are able to, the lot gives a free ball to a team; a held one
    stays with its holder until the duel ends, and then the lot gives it to a team, too.

    Args:
        holder: Previous holder, (W,).
        able: Whether each robot is able to hold the ball now, (W, N).
        distance: Distance of each robot from the ball, (W, N), in any monotonic measure.
        team: Team of each robot, (N,).
        lot: Team that the lot favours, (W,); -1 where the robots are of one team.
        ends: Whether a duel ends now, (W,).
    """
    keeps = (holder != NOBODY) & np.take_along_axis(able, holder[:, None], axis=1)[:, 0]
    decided = (lot >= 0) & (ends | ~keeps)
    candidates = able & ~(decided[:, None] & (team != lot[:, None]))
    keeps &= ~decided | (team[holder] == lot)
    nearest = np.where(candidates, distance, np.inf).argmin(axis=-1)
    found = np.where(candidates.any(axis=-1), nearest, NOBODY)
    return np.where(keeps, holder, found)
