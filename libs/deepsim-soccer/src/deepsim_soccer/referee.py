# SPDX-License-Identifier: Apache-2.0
"""The referee, who counts goals, restarts play and pauses it."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import restart_places as restarts
from .field import starting_places
from .fouls import Card, Foul, Fouls
from .pitch import Pitch
from .pitch.ball import NOBODY, Numbers
from .restart_places import Call
from .skills.motion import anywhere

_SPREAD = 0.3  # largest random offset of places at a kick-off, along each axis [m]
_IN_PLAY = 0.5  # a ball that moved this far from the place of a restart is in play [m]
BOTH = -1
"""The code for the two teams at a drop ball."""


class Phase(IntEnum):
    """The phases of a match.

    Example:
        >>> Phase(Referee(pitch).phase[0]).name
        'PLAY'
    """

    PLAY = 0
    STOP = 1
    """Robots stand, or drive away from the ball, which lies at the place of the restart."""
    SET_PIECE = 2
    """One robot may play the ball; the other team waits until the ball moved half a metre."""


class Decision(NamedTuple):
    """The decisions of one step, (W,) each.

    Attributes:
        call: `Call` code.
        team: Team that restarts play: 0 cyan, 1 magenta, -1 both, at a drop ball.
        goal: 1 if cyan scored, -1 if magenta did, otherwise 0.
        foul: `Foul` code; `team`, the fouled team, gets a free kick.
        robot: Number of the robot that committed the foul, or -1.
        card: `Card` code for this robot.

    Example:
        >>> decision = Referee(pitch).judge(np.array([0]))
        >>> Call(decision.call[0]).name
        'NONE'
    """

    call: NDArray[np.int64]
    team: NDArray[np.int64]
    goal: NDArray[np.int64]
    foul: NDArray[np.int64]
    robot: Numbers
    card: NDArray[np.int64]


class Referee:
    """Counts goals and restarts play in each world.

    At a restart, opponents keep 3 m from the ball, and so do mates of the robot that takes it, at
    2 m, until the ball has moved half a metre or the time is over; at a drop ball, all keep 2 m
    until play begins. A penalty is taken alone against the keeper. A ball that goes straight from a
    kick-off into the goal is no goal.

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
        self.stop_time, self.set_piece = stop, set_piece
        count = len(pitch.world)
        self.score = np.zeros((count, 2), np.int64)
        self.phase = np.full(count, int(Phase.PLAY))
        self._until = np.zeros(count)  # end of the phase [s]
        self._whose = np.zeros(count, np.int64)
        self._is_due = np.zeros(count, np.bool_)  # whether a restart is not yet in play
        self._spot = np.zeros((count, 2))  # of the latest restart [m]
        # Whether the ball only met the robot that took the kick-off, near the middle.
        self._is_direct = np.zeros(count, np.bool_)
        self._taker: Numbers = np.full(count, NOBODY)
        self._judged = np.array(pitch.world.time)  # time of the last judgement [s]
        self._start = starting_places(np.bincount(pitch.team, minlength=2), pitch.field.length)

    def begin(self, worlds: Numbers, kick_off: NDArray[np.int64]) -> None:
        """Begins new matches in some worlds, (w,), by a kick-off, (w,).

        They have no goals and cards, and a `stop` of the match before does not hold them up.
        """
        self.score[worlds], self.phase[worlds] = 0, Phase.PLAY
        if self.fouls is not None:
            self.fouls.committed[worlds] = 0
        sent_off = self.pitch.sent_off
        if anywhere(sent_off):
            sent_off[worlds] = False
            self.pitch.send_off(sent_off)
        self.line_up(worlds, kick_off)

    def line_up(self, worlds: Numbers, kick_off: NDArray[np.int64]) -> None:
        """Places both teams, with small random offsets, and the ball for a kick-off.

        Args:
            worlds: Numbers of the worlds, (w,).
            kick_off: Team that kicks off, (w,): 0 cyan, 1 magenta.
        """
        pitch = self.pitch
        (place, yaw), count = self._start, len(worlds)
        spots = place + pitch.world.uniform(-_SPREAD, _SPREAD, place.shape, worlds)
        spots = restarts.outside(pitch, worlds, spots)
        pitch.put_robots(worlds, spots, np.broadcast_to(yaw, (count, len(yaw))))
        pitch.put_ball(worlds, np.zeros((count, 2)))
        self._give(worlds, kick_off, np.full(count, int(Call.KICK_OFF)))

    def judge(self, worlds: Numbers) -> Decision:
        """Judges some worlds, (w,), after a step, and restarts play where necessary.

        If the ball is out, the team whose robot touched it last loses it; a ball that nobody
        touched since the last restart is dropped. A foul gives the fouled team a free kick. Fouls
        count in `Phase.PLAY` only.
        """
        pitch, every = self.pitch, len(self.pitch.world)
        foul, robot = self._watch(worlds)
        call, team, goals, card = np.zeros((4, every), np.int64)
        pose = pitch.ball_pose
        outside = pitch.ball.out(pose)
        if not anywhere(outside) and not foul.any():
            return Decision(call, team, goals, foul, robot, card)
        active = np.zeros(every, np.bool_)
        active[worlds] = True
        direct = self._is_direct & (pitch.touched != NOBODY)
        goals[:] = np.where(active & ~direct, pitch.ball.goal(pose), 0)
        loser, unknown = pitch.team[pitch.touched], pitch.touched == NOBODY
        out = outside & active & (goals == 0)
        behind = out & (np.abs(pose[:, 0]) > pitch.ball.half[0])
        # Behind a goal line: a corner if the defenders touched the ball last, else a goal kick.
        defender = np.where(pose[:, 0] < 0.0, 0, 1)
        team = np.where(out, np.where(unknown, BOTH, 1 - loser), np.where(goals > 0, 1, 0))
        call = np.where(out, Call.THROW_IN, call)
        call = np.where(behind, np.where(loser == defender, Call.CORNER, Call.GOAL_KICK), call)
        call = np.where(out & unknown, Call.DROP_BALL, call)
        call = np.where(goals != 0, Call.KICK_OFF, call)
        foul = np.where(call == Call.NONE, foul, Foul.NONE)
        robot = np.where(foul != Foul.NONE, robot, NOBODY)
        call = np.where(foul != Foul.NONE, Call.FREE_KICK, call)
        team = np.where(foul != Foul.NONE, 1 - pitch.team[robot], team)
        chosen = np.flatnonzero(foul)
        if len(chosen) and self.fouls is not None:
            card[chosen] = self.fouls.book(chosen, robot[chosen])
            self._dismiss(np.flatnonzero(card == Card.RED), robot)
        chosen = np.flatnonzero(out | (foul != Foul.NONE))
        if len(chosen):
            self._place_ball(chosen, call, team)
        chosen = np.flatnonzero(goals)
        if len(chosen):
            self.score[chosen, (goals[chosen] < 0).astype(np.intp)] += 1
            if self.lines_up:
                self.line_up(chosen, team[chosen])
        return Decision(call, team, goals, foul, robot, card)

    def _dismiss(self, worlds: Numbers, robot: Numbers) -> None:
        """Sends one robot off, (W,), in each of some worlds."""
        if not len(worlds):
            return
        pitch = self.pitch
        sent_off = pitch.sent_off.copy()
        sent_off[worlds, robot[worlds]] = True
        pitch.send_off(sent_off)
        places = restarts.outside(pitch, worlds, pitch.place[worlds])
        pitch.put_robots(worlds, places, pitch.yaw[worlds])

    def _watch(self, worlds: Numbers) -> tuple[NDArray[np.int64], Numbers]:
        """Advances the phases of some worlds; returns `Foul` codes and offenders, (W,) each."""
        pitch, count = self.pitch, len(self.phase)
        foul, robot = np.zeros(count, np.int64), np.full(count, NOBODY)
        touched = pitch.touched
        follows = anywhere(self._is_direct) and anywhere(self._is_direct & (touched != NOBODY))
        if self.fouls is None and not follows and not self.phase.any():  # Phase.PLAY everywhere
            return foul, robot
        now = pitch.world.time
        active = np.zeros(count, np.bool_)
        active[worlds] = True
        over = active & (now >= self._until - 1e-9)
        self._begin_set_piece(np.flatnonzero(over & (self.phase == Phase.STOP)))
        way = pitch.ball_place[:, :2] - self._spot
        moved = (way * way).sum(axis=1) > _IN_PLAY**2
        over = moved | (now >= self._until - 1e-9)
        self._play(np.flatnonzero(active & over & (self.phase == Phase.SET_PIECE)))
        self._taker = np.where(self._taker == NOBODY, touched, self._taker)
        carried = moved & (pitch.holder != NOBODY)
        self._is_direct &= ~active | ((touched == self._taker) & ~carried)
        if self.fouls is not None:
            playing = worlds[self.phase[worlds] == Phase.PLAY]
            foul, robot = self.fouls.watch(playing, now[playing] - self._judged[playing])
        self._judged[worlds] = now[worlds]
        return foul, robot

    def stop(self, worlds: Numbers, *, park: bool = False) -> None:
        """Stops the robots of some worlds, (w,), until `start`; to park, they leave the field."""
        on = np.asarray(worlds, np.intp)
        if park:
            places = restarts.parked(self.pitch, on)
            self.pitch.put_robots(on, places, self.pitch.yaw[on])
        self.phase[on], self.pitch.halted[on] = Phase.STOP, True
        self._until[on] = np.inf

    def start(self, worlds: Numbers) -> None:
        """Lets play go on in some worlds, (w,), with the restart that was called, if any."""
        on = np.asarray(worlds, np.intp)
        due = self._is_due[on] & (self.phase[on] == Phase.STOP)
        self._begin_set_piece(on[due])
        self._play(on[~due])
        self._is_direct[on[~due]] = False

    def restart(self, worlds: Numbers, call: Call, team: int) -> None:
        """Restarts play in some worlds, as a coach or a person requests.

        The ball is put at the place of the restart. For free kicks and drop balls it stays in
        place, but from a penalty area it is moved to the nearest restart spot. At a kick-off or a
        penalty both teams line up. The other team waits, except at a drop ball. If play was
        stopped, it goes on with `start`.

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
        if call == Call.PENALTY:
            self.pitch.put_robots(on, *restarts.penalty_places(self.pitch, on, whose[on]))
        self._place_ball(on, np.full_like(whose, call), whose)

    def _place_ball(
        self, worlds: Numbers, call: NDArray[np.int64], team: NDArray[np.int64]
    ) -> None:
        """Puts the balls of some worlds to their restarts, and gives them to teams, (W,)."""
        spot = restarts.spot(self.pitch, call, team)[worlds]
        self.pitch.put_ball(worlds, restarts.free_spot(self.pitch, worlds, spot))
        self._give(worlds, team[worlds], call[worlds])

    def _give(self, worlds: Numbers, team: NDArray[np.int64], call: NDArray[np.int64]) -> None:
        """Gives the ball to teams: begins `Phase.STOP`, or the set piece if there is no stop."""
        pitch, now = self.pitch, self.pitch.world.time
        self._whose[worlds], self._judged[worlds] = team, now[worlds]
        self._spot[worlds] = pitch.ball_place[worlds, :2]
        self._is_due[worlds], self._is_direct[worlds] = True, call == Call.KICK_OFF
        self._taker[worlds] = pitch.touched[worlds] = NOBODY
        calls = np.zeros(len(self.phase), np.int64)
        calls[worlds] = call
        pitch.distance[worlds] = restarts.distances(pitch, self._spot, calls, self._whose)[worlds]
        if self.fouls is not None:
            self.fouls.forget(worlds)
        stopped = (self.phase[worlds] == Phase.STOP) & np.isinf(self._until[worlds])
        begins = worlds[~stopped]
        if self.stop_time <= 0.0:
            self._begin_set_piece(begins)
            return
        self.phase[begins], pitch.halted[begins] = Phase.STOP, True
        self._until[begins] = now[begins] + self.stop_time

    def _begin_set_piece(self, worlds: Numbers) -> None:
        """Begins the set piece where a restart is due; a drop ball is in play at once."""
        if not len(worlds):
            return
        pitch = self.pitch
        pitch.halted[worlds] = False
        pitch.pause[worlds] = np.where(self._waits(worlds), self.set_piece, 0.0)
        self.phase[worlds] = Phase.SET_PIECE
        self._until[worlds] = pitch.world.time[worlds] + self.set_piece
        self._play(worlds[self._whose[worlds] == BOTH])

    def _play(self, worlds: Numbers) -> None:
        """Lets both teams play in some worlds."""
        if not len(worlds):
            return
        pitch = self.pitch
        pitch.halted[worlds], pitch.distance[worlds] = False, 0.0
        freed = self._waits(worlds) & self._is_due[worlds, None]
        pitch.pause[worlds] = np.where(freed, 0.0, pitch.pause[worlds])
        self.phase[worlds], self._is_due[worlds] = Phase.PLAY, False

    def _waits(self, worlds: Numbers) -> NDArray[np.bool_]:
        """Returns which robots may not hold the ball at a restart, (w, N)."""
        whose = self._whose[worlds, None]
        return np.asarray((self.pitch.team != whose) & (whose != BOTH))
