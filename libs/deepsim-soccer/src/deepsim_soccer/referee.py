# SPDX-License-Identifier: Apache-2.0
"""Counts goals and restarts play: kick-off, throw-in, corner and goal kick."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_soccer.pitch import Pitch
from deepsim_soccer.pitch.formation import formation
from deepsim_soccer.pitch.possession import NOBODY
from deepsim_soccer.skills.motion import Floats

RESTART_PAUSE = 3.0  # during which the team that has no restart may not hold the ball [s]
_SPREAD = 0.3  # by which places at a kick-off differ, along each axis [m]
_INSIDE = 0.2  # of a line: where a throw-in and a corner are taken [m]


class Call(IntEnum):
    """What a referee decides, by the codes of the coach's messages for the team in question."""

    NONE = 0
    KICK_OFF = 1
    THROW_IN = 3
    GOAL_KICK = 7
    CORNER = 9


class Decision(NamedTuple):
    """The decisions of one step, each (W,).

    Attributes:
        call: `Call` codes.
        team: Whose restart it is: 0 cyan, 1 magenta.
        goal: 1 where cyan scored, -1 where magenta did, otherwise 0.
    """

    call: NDArray[np.int64]
    team: NDArray[np.int64]
    goal: NDArray[np.int64]


class Referee:
    """Judges the ball of each world, and restarts play.

    Args:
        pitch: The robots and the ball.
        lines_up: Whether teams line up after a goal; otherwise the ball stays where it is.

    Attributes:
        score: Goals of cyan and magenta, (W, 2).
    """

    def __init__(self, pitch: Pitch, *, lines_up: bool = True) -> None:
        self.pitch, self.lines_up = pitch, lines_up
        self.score = np.zeros((len(pitch.world), 2), np.int64)
        self.half = np.array([pitch.field.length, pitch.field.width]) / 2.0

    def line_up(self, worlds: NDArray[np.intp], kick_off: NDArray[np.int64]) -> None:
        """Puts both teams, a little differently each time, and the ball where a kick-off begins.

        Args:
            worlds: (w,).
            kick_off: Whose it is, (w,): 0 cyan, 1 magenta.
        """
        pitch = self.pitch
        place, yaw = starting_places(pitch)
        count = len(worlds)
        spots = place + self.pitch.world.uniform(-_SPREAD, _SPREAD, place.shape, worlds)
        pitch.put_robots(worlds, spots, np.broadcast_to(yaw, (count, len(yaw))))
        pitch.put_ball(worlds, np.zeros((count, 2)))
        self._give(worlds, kick_off)

    def judge(self, worlds: NDArray[np.intp]) -> Decision:
        """Judges some worlds after a step, and restarts play where the ball is out.

        Who touched the ball last loses it; a ball that nobody touched is cyan's.
        """
        pitch, every = self.pitch, len(self.pitch.world)
        call, team, goals = (np.zeros(every, np.int64) for _ in range(3))
        pose = pitch.ball_pose
        active = np.zeros(every, np.bool_)
        active[worlds] = True
        scored = pitch.ball.goal(pose).astype(np.int64)
        goals[:] = np.where(active, scored, 0)
        loser = np.where(pitch.touched == NOBODY, 1, pitch.team[pitch.touched])
        out = pitch.ball.out(pose) & active & (goals == 0)
        behind = out & (np.abs(pose[:, 0]) > self.half[0])
        # Behind its own goal line: the defending team kicks off from the goal, unless it lost it.
        defender = np.where(pose[:, 0] < 0.0, 0, 1)
        team = np.where(out, 1 - loser, np.where(goals > 0, 1, 0))
        call = np.where(out, Call.THROW_IN, call)
        call = np.where(behind, np.where(loser == defender, Call.CORNER, Call.GOAL_KICK), call)
        call = np.where(goals != 0, Call.KICK_OFF, call)
        chosen = np.flatnonzero(out)
        if len(chosen):
            pitch.put_ball(chosen, self._spot(pose, call)[chosen])
            self._give(chosen, team[chosen])
        chosen = np.flatnonzero(goals)
        if len(chosen):
            self.score[chosen, (goals[chosen] < 0).astype(np.intp)] += 1
            if self.lines_up:
                self.line_up(chosen, team[chosen])
        return Decision(call, team, goals)

    def _spot(self, pose: Floats, call: NDArray[np.int64]) -> Floats:
        """Returns where play restarts, (W, 2)."""
        limit = self.half - _INSIDE
        spot = np.clip(pose[:, :2], -limit, limit)
        side = np.sign(pose[:, :2])
        goal_kick = side * [self.half[0] - 2.5, 1.5]
        corner = side * limit
        spot = np.where((call == Call.GOAL_KICK)[:, None], goal_kick, spot)
        return np.where((call == Call.CORNER)[:, None], corner, spot)

    def _give(self, worlds: NDArray[np.intp], team: NDArray[np.int64]) -> None:
        """Lets only one team take the ball for a while."""
        pitch = self.pitch
        waits = pitch.team != team[:, None]
        pitch.pause[worlds] = np.where(waits, RESTART_PAUSE, 0.0)
        pitch.touched[worlds] = NOBODY


def starting_places(pitch: Pitch) -> tuple[Floats, Floats]:
    """Returns places (N, 2) [m] and yaws (N,) [rad] at a kick-off."""
    counts = [int((pitch.team == team).sum()) for team in (0, 1)]
    teams = [
        side * formation(n, pitch.field.length) for n, side in zip(counts, (1, -1), strict=True)
    ]
    return np.concatenate(teams), np.where(pitch.team == 0, 0.0, np.pi)
