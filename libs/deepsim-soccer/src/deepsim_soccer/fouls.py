# SPDX-License-Identifier: Apache-2.0
"""Detects fouls: dribbling too far, and staying in forbidden areas."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from .pitch import Pitch
from .pitch.ball import NOBODY, Bools, Numbers
from .skills.motion import Floats


class Foul(IntEnum):
    """The kinds of fouls.

    Example:
        >>> foul, _ = Fouls(pitch).watch(np.array([0]), periods=np.array([0.025]))
        >>> Foul(foul[0]).name
        'NONE'
    """

    NONE = 0
    DRIBBLE = 1
    """The robot dribbled too far."""
    GOAL_AREA = 2
    """A field player stayed in a goal area."""
    PENALTY_AREA = 3
    """Two field players of a team stayed in the same penalty area."""


class Fouls:
    """Detects the same fouls as the referee of simatch.

    The first robot of a team of two or more is its keeper; all others are field players.

    Args:
        pitch: The robots and the ball.
        dribble: Largest distance of a held ball from where the holder got it [m]; 3 m in the rules.
        patience: Longest time that a robot may stay in a forbidden area [s].

    Attributes:
        stay: Time for which each robot has been in a forbidden area, (W, N) [s].

    Example:
        >>> referee = Referee(pitch, fouls=Fouls(pitch, patience=2.0))
    """

    def __init__(self, pitch: Pitch, *, dribble: float = 3.0, patience: float = 1.0) -> None:
        self.pitch, self.dribble, self.patience = pitch, dribble, patience
        self.stay = np.zeros((len(pitch.world), len(pitch.names)))
        counts = np.bincount(pitch.team, minlength=2)
        first = np.r_[True, np.diff(pitch.team) > 0]
        self.is_keeper: Bools = first & (counts[pitch.team] > 1)

    def watch(self, worlds: Numbers, periods: Floats) -> tuple[NDArray[np.int64], Numbers]:
        """Detects fouls in some worlds.

        Args:
            worlds: Numbers of the worlds, (w,).
            periods: Time since the previous call for each of these worlds, (w,) [s].

        Returns:
            `Foul` codes, (W,), and the numbers of the robots that committed them, (W,), or -1.
        """
        pitch = self.pitch
        goal_area, penalty_area = self._wrongly_inside()
        wrong = (goal_area | penalty_area)[worlds]
        self.stay[worlds] = np.where(wrong, self.stay[worlds] + periods[:, None], 0.0)
        longest = self.stay.argmax(axis=1)
        every = np.arange(len(self.stay))
        stays = self.stay[every, longest] > self.patience
        inside = np.where(goal_area[every, longest], Foul.GOAL_AREA, Foul.PENALTY_AREA)
        way = pitch.ball_place[:, :2] - pitch.got
        dribbles = (pitch.holder != NOBODY) & ((way * way).sum(axis=1) > self.dribble**2)
        foul = np.where(dribbles, Foul.DRIBBLE, np.where(stays, inside, Foul.NONE))
        robot = np.where(dribbles, pitch.holder, np.where(stays, longest, NOBODY))
        watched = np.zeros(len(foul), np.bool_)
        watched[worlds] = True
        return np.where(watched, foul, Foul.NONE), np.where(watched, robot, NOBODY)

    def forget(self, worlds: Numbers) -> None:
        """Clears the times in forbidden areas in some worlds, after a restart."""
        self.stay[worlds] = 0.0

    def _wrongly_inside(self) -> tuple[Bools, Bools]:
        """Returns which robots are illegally in a goal area or penalty area, (W, N) each."""
        pitch, field = self.pitch, self.pitch.field
        goal_area = np.zeros(self.stay.shape, np.bool_)
        penalty_area, field_players = goal_area.copy(), ~self.is_keeper
        along, across = pitch.side * pitch.place[..., 0], np.abs(pitch.place[..., 1])
        for end in (-1.0, 1.0):  # the team's own goal, the opponents' goal
            behind = end * along - field.length / 2.0  # the goal line
            beside = across - field.goal_width / 2.0  # the posts

            goal_area |= field_players & (behind > -field.goal_area) & (beside < field.goal_area)
            crowd = field_players & (behind > -field.penalty_area) & (beside < field.penalty_area)
            for team in (0, 1):
                mates = crowd & (pitch.team == team)
                penalty_area |= mates & (mates.sum(axis=1, keepdims=True) > 1)
        return goal_area, penalty_area
