# SPDX-License-Identifier: Apache-2.0
"""The referee, who counts goals, restarts play and pauses it."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .field import starting_places
from .fouls import Foul, Fouls
from .pitch import Pitch
from .pitch.ball import NOBODY, Numbers
from .skills.motion import Floats, anywhere

_SPREAD = 0.3  # largest random offset of places at a kick-off, along each axis [m]
_ROOM = 0.03  # least gap between the ball at a restart and a robot [m]
_TRIES = 12  # the number of places to try for the ball if robots are in the way
BOTH = -1
"""The code for the two teams at a drop ball."""
_INSIDE = 0.2  # distance of throw-ins and corners from the line [m]


class Call(IntEnum):
    """The calls of the referee; `Mode` uses the same codes for the coach's own team.

    Example:
        >>> Referee(pitch).restart(np.array([0]), Call.THROW_IN, team=1)
    """

    NONE = 0
    KICK_OFF = 1
    THROW_IN = 3
    PENALTY = 5
    GOAL_KICK = 7
    CORNER = 9
    FREE_KICK = 11
    DROP_BALL = 13


class Phase(IntEnum):
    """The phases of a match.

    Example:
        >>> Phase(Referee(pitch).phase[0]).name
        'PLAY'
    """

    PLAY = 0
    STOP = 1
    """Nobody moves; the ball already lies at the place of the restart."""
    SET_PIECE = 2
    """One team may take the ball while the other team waits."""


class Decision(NamedTuple):
    """The decisions of one step, (W,) each.

    Attributes:
        call: `Call` code.
        team: Team that restarts play: 0 cyan, 1 magenta, -1 both, at a drop ball.
        goal: 1 if cyan scored, -1 if magenta did, otherwise 0.
        foul: `Foul` code; `team`, the fouled team, gets a free kick.

    Example:
        >>> decision = Referee(pitch).judge(np.array([0]))
        >>> Call(decision.call[0]).name
        'NONE'
    """

    call: NDArray[np.int64]
    team: NDArray[np.int64]
    goal: NDArray[np.int64]
    foul: NDArray[np.int64]


class Referee:
    """Counts goals and restarts play in each world.

    Args:
        pitch: The robots and the ball.
        lines_up: Whether teams line up after a goal; otherwise the ball stays where it is.
        fouls: Detector of fouls; by default there are no fouls.
        stop: Time for which all robots stand still before a restart [s]; 2 s in simatch.
        set_piece: Time after a restart in which the other team may not hold the ball [s]; 4 s in
            simatch.

    Attributes:
        score: Goals of cyan and magenta, (W, 2).
        phase: `Phase` code of each world, (W,).

    Example:
        >>> referee = Referee(pitch, fouls=Fouls(pitch), stop=2.0, set_piece=4.0)  # as in simatch
        >>> pitch.put_ball(np.array([0]), [[9.3, 0.0]])  # behind the right goal line
        >>> int(referee.judge(np.array([0])).goal[0]), referee.score.tolist()
        (1, [[1, 0]])
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
        self._judged = np.array(pitch.world.time)  # time of the last judgement [s]
        self.half = np.array([pitch.field.length, pitch.field.width]) / 2.0
        self._start = starting_places(np.bincount(pitch.team, minlength=2), pitch.field.length)

    def line_up(self, worlds: Numbers, kick_off: NDArray[np.int64]) -> None:
        """Places both teams, with small random offsets, and the ball for a kick-off.

        Args:
            worlds: Numbers of the worlds, (w,).
            kick_off: Team that kicks off, (w,): 0 cyan, 1 magenta.
        """
        pitch = self.pitch
        (place, yaw), count = self._start, len(worlds)
        spots = place + pitch.world.uniform(-_SPREAD, _SPREAD, place.shape, worlds)
        pitch.put_robots(worlds, spots, np.broadcast_to(yaw, (count, len(yaw))))
        pitch.put_ball(worlds, np.zeros((count, 2)))
        self._give(worlds, kick_off)

    def judge(self, worlds: Numbers) -> Decision:
        """Judges some worlds, (w,), after a step, and restarts play where necessary.

        If the ball is out, the team whose robot touched it last loses it; a ball that nobody
        touched since the last restart is dropped. A foul gives the fouled team a free kick. Fouls
        count in `Phase.PLAY` only.
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
        loser, unknown = pitch.team[pitch.touched], pitch.touched == NOBODY
        out = outside & active & (goals == 0)
        behind = out & (np.abs(pose[:, 0]) > self.half[0])
        # Behind a goal line: a corner if the defenders touched the ball last, else a goal kick.
        defender = np.where(pose[:, 0] < 0.0, 0, 1)
        team = np.where(out, np.where(unknown, BOTH, 1 - loser), np.where(goals > 0, 1, 0))
        call = np.where(out, Call.THROW_IN, call)
        call = np.where(behind, np.where(loser == defender, Call.CORNER, Call.GOAL_KICK), call)
        call = np.where(out & unknown, Call.DROP_BALL, call)
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

    def _watch(self, worlds: Numbers) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Advances the phases of some worlds; returns `Foul` codes and fouled teams, (W,) each."""
        pitch, count = self.pitch, len(self.phase)
        foul, team = np.zeros((2, count), np.int64)
        if self.fouls is None and not self.phase.any():  # Phase.PLAY everywhere
            return foul, team
        now = pitch.world.time
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

    def restart(self, worlds: Numbers, call: Call, team: int) -> None:
        """Restarts play in some worlds, as a coach or a person requests.

        The ball is put at the place of the restart. For free kicks and drop balls it stays in
        place, but from a penalty area it is moved to the nearest restart spot. At a kick-off both
        teams line up. The other team waits, except at a drop ball.

        Args:
            worlds: Numbers of the worlds, (w,).
            call: Any call but `Call.NONE`.
            team: Team that restarts: 0 cyan, 1 magenta; at a drop ball both do.

        Raises:
            ValueError: `call` is `Call.NONE`, or `team` is neither 0 nor 1.
        """
        if call == Call.NONE or team not in (0, 1):
            raise ValueError(f"expected a call and team 0 or 1, got {call!r} and {team!r}")
        on = np.asarray(worlds, np.intp)
        whose = np.full(len(self.pitch.world), BOTH if call == Call.DROP_BALL else team)
        if call == Call.KICK_OFF:
            self.line_up(on, whose[on])
            return
        spot = self._spot(self.pitch.ball_pose, np.full_like(whose, call), whose)
        self.pitch.put_ball(on, self._free(on, spot[on]))
        self._give(on, whose[on])

    def _spot(self, pose: Floats, call: NDArray[np.int64], team: NDArray[np.int64]) -> Floats:
        """Returns the place of each world's restart, (W, 2) [m], for balls at `pose`, (W, 7)."""
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
            Call.DROP_BALL: self._free_kick(ball),
        }
        for each, spot in spots.items():
            ball = np.where((call == each)[:, None], spot, ball)
        return ball

    def _free(self, worlds: Numbers, spot: Floats) -> Floats:
        """Returns spots, (w, 2) [m], moved towards the centre until no robot is in the way.

        The physics would eject a ball from inside a robot, possibly off the field again.
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
        """Returns the places of free kicks, (W, 2) [m], outside the penalty areas."""
        field = self.pitch.field
        reach = field.goal_width / 2.0 + field.penalty_area
        near = np.abs(ball[:, 0]) > self.half[0] - field.penalty_area
        spots = np.array(field.restart_spots())
        way = ball[:, None] - spots
        nearest = spots[(way * way).sum(axis=-1).argmin(axis=1)]
        return np.where((near & (np.abs(ball[:, 1]) < reach))[:, None], nearest, ball)

    def _give(self, worlds: Numbers, team: NDArray[np.int64]) -> None:
        """Gives the ball to teams: begins `Phase.STOP`, or the set piece if there is no stop."""
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

    def _begin_set_piece(self, worlds: Numbers) -> None:
        pitch = self.pitch
        whose = self._whose[worlds, None]
        waits = (pitch.team != whose) & (whose != BOTH)
        pitch.pause[worlds] = np.where(waits, self.set_piece, 0.0)
        self.phase[worlds] = np.where(whose[:, 0] == BOTH, Phase.PLAY, Phase.SET_PIECE)
        pitch.halted[worlds] = False
        self._until[worlds] = pitch.world.time[worlds] + self.set_piece
