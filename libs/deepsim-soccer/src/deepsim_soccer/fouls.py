# SPDX-License-Identifier: Apache-2.0
"""Detects fouls: dribbling too far, and staying in forbidden areas; shows yellow and red cards."""

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
    """A robot stayed in a goal area in which it is not the keeper."""
    PENALTY_AREA = 3
    """Two robots of a team, besides its keeper, stayed in the same penalty area."""


class Card(IntEnum):
    """The cards that a robot is shown.

    Example:
        >>> fouls = Fouls(pitch, caution=1)  # a card for every foul
        >>> for _ in range(2):
        ...     card = fouls.book(np.array([0]), robot=np.array([1]))
        >>> Card(card[0]).name
        'RED'
    """

    NONE = 0
    YELLOW = 1
    RED = 2
    """The second yellow card: the robot is sent off."""


class Fouls:
    """Detects the fouls that simatch's referee calls, and books the robots that commit them.

    The keeper of a team is its first robot that was not sent off; it is free in its own areas.

    Args:
        pitch: The robots and the ball.
        dribble: Largest distance of a held ball from where the holder got it [m]; 3 m in the rules.
        patience: Longest time that a robot may stay in a forbidden area [s].
        caution: Number of fouls of a robot that make a yellow card.

    Attributes:
        stay: Time for which each robot has been in a forbidden area, (W, N) [s].
        committed: Number of fouls of each robot in the match, (W, N).

    Example:
        >>> referee = Referee(pitch, fouls=Fouls(pitch, patience=2.0))
    """

    def __init__(
        self, pitch: Pitch, *, dribble: float = 3.0, patience: float = 1.0, caution: int = 3
    ) -> None:
        if caution < 1:
            raise ValueError(f"caution must be >= 1, got {caution}")
        self.pitch, self.dribble, self.patience = pitch, dribble, patience
        self.caution = caution
        self.stay = np.zeros((len(pitch.world), len(pitch.names)))
        self.committed = np.zeros(self.stay.shape, np.int64)

    def watch(self, worlds: Numbers, periods: Floats) -> tuple[NDArray[np.int64], Numbers]:
        """Detects fouls in some worlds.

        Of several fouls at once, that nearest to the ball counts; between teams whose fouls are
        equally near, chance decides.

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
        way = pitch.ball_place[:, :2] - pitch.got
        dribbles = (pitch.holder != NOBODY) & ((way * way).sum(axis=1) > self.dribble**2)
        numbers = np.arange(self.stay.shape[1])
        dribbler = dribbles[:, None] & (pitch.holder[:, None] == numbers)
        offends = np.zeros(self.stay.shape, np.bool_)
        offends[worlds] = ((self.stay > self.patience) | dribbler)[worlds]
        foul, robot = np.zeros(len(offends), np.int64), np.full(len(offends), NOBODY)
        found = np.flatnonzero(offends.any(axis=1))
        if len(found):
            robot[found] = self._nearest(found, offends[found])
            inside = np.where(goal_area[found, robot[found]], Foul.GOAL_AREA, Foul.PENALTY_AREA)
            foul[found] = np.where(dribbler[found, robot[found]], Foul.DRIBBLE, inside)
        return foul, robot

    def _nearest(self, worlds: Numbers, offends: Bools) -> Numbers:
        """Returns the offender that is nearest to the ball in each of some worlds, (w,)."""
        pitch = self.pitch
        way = pitch.ball_place[worlds, None, :2] - pitch.place[worlds]
        distance = np.where(offends, (way * way).sum(axis=-1), np.inf)
        best = np.stack(
            [np.where(pitch.team == team, distance, np.inf).min(axis=1) for team in (0, 1)]
        )
        equal = np.flatnonzero(np.isfinite(best).all(axis=0) & (np.abs(best[0] - best[1]) < 1e-9))
        if len(equal):
            spared = pitch.world.uniform(0.0, 1.0, 1, worlds[equal]) < 0.5
            distance[equal] = np.where(pitch.team == spared, np.inf, distance[equal])
        return np.asarray(distance.argmin(axis=1))

    def book(self, worlds: Numbers, robot: Numbers) -> NDArray[np.int64]:
        """Books a foul of one robot, (w,), in each of some worlds; returns `Card` codes, (w,)."""
        self.committed[worlds, robot] += 1
        yellow, rest = np.divmod(self.committed[worlds, robot], self.caution)
        shown = np.where(yellow == 1, Card.YELLOW, Card.RED)
        return np.where((rest == 0) & (yellow > 0), shown, Card.NONE)

    def forget(self, worlds: Numbers) -> None:
        """Clears the times in forbidden areas in some worlds, after a restart."""
        self.stay[worlds] = 0.0

    def _wrongly_inside(self) -> tuple[Bools, Bools]:
        """Returns which robots are illegally in a goal area or penalty area, (W, N) each."""
        pitch, field = self.pitch, self.pitch.field
        goal_area = np.zeros(self.stay.shape, np.bool_)
        penalty_area = goal_area.copy()
        along, across = pitch.side * pitch.place[..., 0], np.abs(pitch.place[..., 1])
        for end in (-1.0, 1.0):  # the team's own goal, the opponents' goal
            behind = end * along - field.length / 2.0  # the goal line
            beside = across - field.goal_width / 2.0  # the posts
            players = ~pitch.sent_off & ~(pitch.keeper & (end < 0.0))
            goal_area |= players & (behind > -field.goal_area) & (beside < field.goal_area)
            crowd = players & (behind > -field.penalty_area) & (beside < field.penalty_area)
            for team in (0, 1):
                mates = crowd & (pitch.team == team)
                penalty_area |= mates & (mates.sum(axis=1, keepdims=True) > 1)
        return goal_area, penalty_area
