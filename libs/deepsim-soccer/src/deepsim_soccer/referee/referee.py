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
from deepsim_soccer.skills.motion import Floats, anywhere

from .fouls import Foul, Fouls

_SPREAD = 0.3  # by which places at a kick-off differ, along each axis [m]
_ROOM = 0.03  # between the ball at a restart and a robot, at least [m]
_TRIES = 12  # places at which room is looked for
_INSIDE = 0.2  # of a line: where a throw-in and a corner are taken [m]


class Call(IntEnum):
    """Decisions of a referee, by the codes of the coach's messages for the team in question."""

    NONE = 0
    KICK_OFF = 1
    THROW_IN = 3
    PENALTY = 5
    GOAL_KICK = 7
    CORNER = 9
    FREE_KICK = 11
    DROP_BALL = 13


class Phase(IntEnum):
    """The phase of a match."""

    PLAY = 0
    STOP = 1
    """Nobody moves; the ball is where play goes on."""
    SET_PIECE = 2
    """One team may take the ball, the other waits."""


class Decision(NamedTuple):
    """The decisions of one step, each (W,).

    Attributes:
        call: `Call` codes.
        team: Whose restart it is: 0 cyan, 1 magenta.
        goal: 1 where cyan scored, -1 where magenta did, otherwise 0.
        foul: `Foul` codes; `team` has a free kick for one of the others.
    """

    call: NDArray[np.int64]
    team: NDArray[np.int64]
    goal: NDArray[np.int64]
    foul: NDArray[np.int64]


class Referee:
    """Judges the ball of each world, and restarts play.

    Args:
        pitch: The robots and the ball.
        lines_up: Whether teams line up after a goal; otherwise the ball stays where it is.
        fouls: Those that count; by default none.
        stop: How long everybody stands before a restart [s]; 2 s in simatch.
        set_piece: How long the team without the restart may not hold the ball [s]; 4 s in simatch.

    Attributes:
        score: Goals of cyan and magenta, (W, 2).
        phase: `Phase` codes, (W,).

    Example::

        referee = Referee(pitch, fouls=Fouls(pitch), stop=2.0, set_piece=4.0)  # as simatch
    """

    def __init__(
        self,
        pitch: Pitch,
        *,
        lines_up: bool = True,
        fouls: Fouls | None = None,
        stop: float = 0.0,
        set_piece: float = 3.0,
    ) -> None:
        self.pitch, self.lines_up, self.fouls = pitch, lines_up, fouls
        self.stop, self.set_piece = stop, set_piece
        count = len(pitch.world)
        self.score = np.zeros((count, 2), np.int64)
        self.phase = np.full(count, int(Phase.PLAY))
        self._until = np.zeros(count)  # end of the phase [s]
        self._whose = np.zeros(count, np.int64)
        self._judged = np.array(pitch.world.time)  # when it judged last [s]
        self.half = np.array([pitch.field.length, pitch.field.width]) / 2.0
        self._start = starting_places(pitch)

    def line_up(self, worlds: NDArray[np.intp], kick_off: NDArray[np.int64]) -> None:
        """Puts both teams, a little differently each time, and the ball where a kick-off begins.

        Args:
            worlds: (w,).
            kick_off: Whose it is, (w,): 0 cyan, 1 magenta.
        """
        pitch = self.pitch
        (place, yaw), count = self._start, len(worlds)
        spots = place + pitch.world.uniform(-_SPREAD, _SPREAD, place.shape, worlds)
        pitch.put_robots(worlds, spots, np.broadcast_to(yaw, (count, len(yaw))))
        pitch.put_ball(worlds, np.zeros((count, 2)))
        self._give(worlds, kick_off)

    def judge(self, worlds: NDArray[np.intp]) -> Decision:
        """Judges some worlds after a step, and restarts play where it has to.

        Who touched the ball last loses it; a ball that nobody touched is cyan's. A foul gives the
        others a free kick. Fouls count in `Phase.PLAY` only.
        """
        pitch, every = self.pitch, len(self.pitch.world)
        foul, team_of_foul = self._watch(worlds)
        call, team, goals = np.zeros((3, every), np.int64)
        pose = pitch.ball_pose
        outside = pitch.ball.out(pose)
        if not anywhere(outside) and not foul.any():
            return Decision(call, team, goals, foul)
        active = np.zeros(every, np.bool_)
        active[worlds] = True
        scored = pitch.ball.goal(pose).astype(np.int64)
        goals[:] = np.where(active, scored, 0)
        loser = np.where(pitch.touched == NOBODY, 1, pitch.team[pitch.touched])
        out = outside & active & (goals == 0)
        behind = out & (np.abs(pose[:, 0]) > self.half[0])
        # Behind its own goal line: the defending team kicks off from the goal, unless it lost it.
        defender = np.where(pose[:, 0] < 0.0, 0, 1)
        team = np.where(out, 1 - loser, np.where(goals > 0, 1, 0))
        call = np.where(out, Call.THROW_IN, call)
        call = np.where(behind, np.where(loser == defender, Call.CORNER, Call.GOAL_KICK), call)
        call = np.where(goals != 0, Call.KICK_OFF, call)
        foul = np.where(call == Call.NONE, foul, Foul.NONE)
        call = np.where(foul != Foul.NONE, Call.FREE_KICK, call)
        team = np.where(foul != Foul.NONE, team_of_foul, team)
        chosen = np.flatnonzero(out | (foul != Foul.NONE))
        if len(chosen):
            pitch.put_ball(chosen, self._free(chosen, self._spot(pose, call, team)[chosen]))
            self._give(chosen, team[chosen])
        chosen = np.flatnonzero(goals)
        if len(chosen):
            self.score[chosen, (goals[chosen] < 0).astype(np.intp)] += 1
            if self.lines_up:
                self.line_up(chosen, team[chosen])
        return Decision(call, team, goals, foul)

    def _watch(self, worlds: NDArray[np.intp]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Lets time pass in some worlds; returns `Foul` codes and who has the free kick, (W,)."""
        pitch, count = self.pitch, len(self.phase)
        foul, team = np.zeros((2, count), np.int64)
        if self.fouls is None and not self.phase.any():  # Phase.PLAY everywhere
            return foul, team
        now = pitch.world.time
        ends = (now >= self._until - 1e-9) & (self.phase > Phase.PLAY)
        if self.fouls is None and not anywhere(ends):
            return foul, team
        over = np.zeros(count, np.bool_)
        over[worlds] = now[worlds] >= self._until[worlds] - 1e-9
        self._begin_set_piece(np.flatnonzero(over & (self.phase == Phase.STOP)))
        over &= now >= self._until - 1e-9
        self.phase[over & (self.phase == Phase.SET_PIECE)] = Phase.PLAY
        if self.fouls is not None:
            playing = worlds[self.phase[worlds] == Phase.PLAY]
            foul, robot = self.fouls.watch(playing, now[playing] - self._judged[playing])
            team = 1 - pitch.team[robot]
        self._judged[worlds] = now[worlds]
        return foul, team

    def restart(self, worlds: NDArray[np.intp], call: Call, team: int) -> None:
        """Restarts play in some worlds as a coach or a person calls it.

        The ball is put where the restart is taken. For a free kick and a drop ball it stays where
        it is, but a free kick out of a penalty area is taken at the nearest of the restart spots.
        At a kick-off both teams line up. The other team waits, except at a drop ball.

        Args:
            worlds: (w,).
            call: Any but `Call.NONE`.
            team: Whose it is: 0 cyan, 1 magenta.

        Raises:
            ValueError: The restart or team does not exist.
        """
        if call == Call.NONE or team not in (0, 1):
            raise ValueError(f"restart takes a call and team 0 or 1, got {call!r} and {team!r}")
        on = np.asarray(worlds, np.intp)
        whose = np.full(len(self.pitch.world), team)
        if call == Call.KICK_OFF:
            self.line_up(on, whose[on])
            return
        spot = self._spot(self.pitch.ball_pose, np.full_like(whose, call), whose)
        self.pitch.put_ball(on, self._free(on, spot[on]))
        self._give(on, whose[on])
        if call == Call.DROP_BALL:
            self.phase[on], self.pitch.halted[on], self.pitch.pause[on] = Phase.PLAY, False, 0.0

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
            Call.FREE_KICK: self._free_kick(ball),
        }
        for each, spot in spots.items():
            ball = np.where((call == each)[:, None], spot, ball)
        return ball

    def _free(self, worlds: NDArray[np.intp], spot: Floats) -> Floats:
        """Returns spots, (w, 2), moved towards the centre as far as robots stand in the way.

        A ball that is put into a robot is thrown out of it, and off the field again.
        """
        pitch = self.pitch
        way = np.sqrt((spot * spot).sum(axis=1, keepdims=True))
        inwards = -spot / np.maximum(way, 1e-9)
        room = pitch.dialect.robot_radius + pitch.dialect.ball_radius + _ROOM
        steps = np.arange(_TRIES)[:, None] * room
        tried = spot[:, None] + inwards[:, None] * steps  # (w, tries, 2)
        off = tried[:, :, None] - pitch.place[worlds][:, None]
        clear = ((off * off).sum(axis=-1) > room * room).all(axis=-1)
        return np.asarray(tried[np.arange(len(spot)), clear.argmax(axis=1)])

    def _free_kick(self, ball: Floats) -> Floats:
        """Returns where a free kick is taken, (W, 2): in no penalty area."""
        field = self.pitch.field
        reach = field.goal_width / 2.0 + field.penalty_area
        near = np.abs(ball[:, 0]) > self.half[0] - field.penalty_area
        spots = np.array(field.restart_spots())
        way = ball[:, None] - spots
        nearest = spots[(way * way).sum(axis=-1).argmin(axis=1)]
        return np.where((near & (np.abs(ball[:, 1]) < reach))[:, None], nearest, ball)

    def _give(self, worlds: NDArray[np.intp], team: NDArray[np.int64]) -> None:
        """Stops play, or lets only one team take the ball for a while."""
        now = self.pitch.world.time
        self._whose[worlds] = team
        self._judged[worlds] = now[worlds]
        self.pitch.touched[worlds] = NOBODY
        if self.fouls is not None:
            self.fouls.forget(worlds)
        if self.stop <= 0.0:
            self._begin_set_piece(worlds)
            return
        self.phase[worlds], self.pitch.halted[worlds] = Phase.STOP, True
        self._until[worlds] = now[worlds] + self.stop

    def _begin_set_piece(self, worlds: NDArray[np.intp]) -> None:
        pitch = self.pitch
        waits = pitch.team != self._whose[worlds, None]
        pitch.pause[worlds] = np.where(waits, self.set_piece, 0.0)
        self.phase[worlds], pitch.halted[worlds] = Phase.SET_PIECE, False
        self._until[worlds] = pitch.world.time[worlds] + self.set_piece


def starting_places(pitch: Pitch) -> tuple[Floats, Floats]:
    """Returns places (N, 2) [m] and yaws (N,) [rad] at a kick-off."""
    counts = [int((pitch.team == team).sum()) for team in (0, 1)]
    teams = [
        side * formation(n, pitch.field.length) for n, side in zip(counts, (1, -1), strict=True)
    ]
    return np.concatenate(teams), np.where(pitch.team == 0, 0.0, np.pi)
