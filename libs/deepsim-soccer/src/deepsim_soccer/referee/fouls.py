# SPDX-License-Identifier: Apache-2.0
"""Watches for robots that dribble too far, or stay where they may not be."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from deepsim_soccer.pitch import Pitch
from deepsim_soccer.pitch.possession import NOBODY, Bools, Numbers
from deepsim_soccer.skills.motion import Floats


class Foul(IntEnum):
    """Fouls of robots."""

    NONE = 0
    DRIBBLE = 1
    """Took the ball too far."""
    GOAL_AREA = 2
    """Was in a goal area, though it is no keeper."""
    PENALTY_AREA = 3
    """Was with a mate in one penalty area; keepers do not count."""


class Fouls:
    """The fouls of simatch's referee. The first robot of a team of two or more is its keeper.

    Args:
        pitch: The robots and the ball.
        dribble: How far a robot may take the ball from where it got it [m]; 3 m by the rules.
        patience: How long robots may be in an area that they have to leave [s].

    Attributes:
        stay: How long each robot has been where it may not be, (W, N) [s].
    """

    def __init__(self, pitch: Pitch, *, dribble: float = 3.0, patience: float = 1.0) -> None:
        self.pitch, self.dribble, self.patience = pitch, dribble, patience
        self.stay = np.zeros((len(pitch.world), len(pitch.names)))
        counts = np.bincount(pitch.team, minlength=2)
        first = np.r_[True, np.diff(pitch.team) > 0]
        self.is_keeper: Bools = first & (counts[pitch.team] > 1)

    def watch(self, worlds: Numbers, periods: Floats) -> tuple[NDArray[np.int64], Numbers]:
        """Watches some worlds for the time that has passed.

        Args:
            worlds: (w,).
            periods: Since each of them was watched last, (w,) [s].

        Returns:
            `Foul` codes, (W,), and the numbers of the robots that committed them, `NOBODY` without.
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
        """Restarts in some worlds."""
        self.stay[worlds] = 0.0

    def _wrongly_inside(self) -> tuple[Bools, Bools]:
        """Returns who is wrongly in a goal area, and who in a penalty area, (W, N) each."""
        pitch, field = self.pitch, self.pitch.field
        goal_area = np.zeros(self.stay.shape, np.bool_)
        penalty_area, field_players = goal_area.copy(), ~self.is_keeper
        along, across = pitch.side * pitch.place[..., 0], np.abs(pitch.place[..., 1])
        for end in (-1.0, 1.0):  # the own goal, that of the opponents
            behind = end * along - field.length / 2.0  # the goal line
            beside = across - field.goal_width / 2.0  # the posts

            goal_area |= field_players & (behind > -field.goal_area) & (beside < field.goal_area)
            crowd = field_players & (behind > -field.penalty_area) & (beside < field.penalty_area)
            for team in (0, 1):
                mates = crowd & (pitch.team == team)
                penalty_area |= mates & (mates.sum(axis=1, keepdims=True) > 1)
        return goal_area, penalty_area
