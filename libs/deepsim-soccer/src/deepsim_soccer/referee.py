# SPDX-License-Identifier: Apache-2.0
"""Counts goals and restarts play, by itself or as called."""

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
    PENALTY = 5
    GOAL_KICK = 7
    CORNER = 9
    FREE_KICK = 11
    DROP_BALL = 13


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
            pitch.put_ball(chosen, self._spot(pose, call, team)[chosen])
            self._give(chosen, team[chosen])
        chosen = np.flatnonzero(goals)
        if len(chosen):
            self.score[chosen, (goals[chosen] < 0).astype(np.intp)] += 1
            if self.lines_up:
                self.line_up(chosen, team[chosen])
        return Decision(call, team, goals)

    def restart(self, worlds: NDArray[np.intp], call: Call, team: int) -> None:
        """Restarts play in some worlds as a coach or a person calls it.

        The ball is put where the restart is taken, or stays where it is for a free kick and a
        drop ball; at a kick-off both teams line up. The other team waits, except at a drop ball.

        Args:
            worlds: (w,).
            call: Any but `Call.NONE`.
            team: Whose it is: 0 cyan, 1 magenta.

        Raises:
            ValueError: There is no such restart or team.
        """
        if call == Call.NONE or team not in (0, 1):
            raise ValueError(f"restart takes a call and team 0 or 1, got {call!r} and {team!r}")
        on = np.asarray(worlds, np.intp)
        whose = np.full(len(self.pitch.world), team)
        if call == Call.KICK_OFF:
            self.line_up(on, whose[on])
            return
        spot = self._spot(self.pitch.ball_pose, np.full_like(whose, call), whose)
        self.pitch.put_ball(on, spot[on])
        self._give(on, whose[on])
        if call == Call.DROP_BALL:
            self.pitch.pause[on] = 0.0

    def _spot(self, pose: Floats, call: NDArray[np.int64], team: NDArray[np.int64]) -> Floats:
        """Returns where each world's call is taken, (W, 2), with the ball at `pose`."""
        limit = self.half - _INSIDE
        ball = np.clip(pose[:, :2], -limit, limit)
        ahead = np.where(team == 0, 1.0, -1.0)  # to the opponents' goal
        aside = np.where(pose[:, 1] < 0.0, -1.0, 1.0)
        goal_kick = np.stack([-ahead * (self.half[0] - 2.5), aside * 1.5], axis=1)
        corner = np.stack([ahead, aside], axis=1) * limit
        penalty = np.stack(
            [ahead * (self.half[0] - self.pitch.field.penalty_distance), 0.0 * aside], axis=1
        )
        throw_in = np.stack([ball[:, 0], aside * limit[1]], axis=1)
        spots = {
            Call.THROW_IN: throw_in,
            Call.PENALTY: penalty,
            Call.GOAL_KICK: goal_kick,
            Call.CORNER: corner,
        }
        for each, spot in spots.items():
            ball = np.where((call == each)[:, None], spot, ball)
        return ball

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
