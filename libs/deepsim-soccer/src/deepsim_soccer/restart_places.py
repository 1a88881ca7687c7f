# SPDX-License-Identifier: Apache-2.0
"""Where the ball and the robots are at a restart."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from .pitch import Pitch
from .pitch.ball import Bools, Numbers
from .skills.motion import Floats

OPPONENTS, MATES = 3.0, 2.0  # distances from the ball of opponents, and of the taker's mates [m]
_PENALTY = 6.0  # distance from the ball of all but taker and keeper at a penalty [m]
_ROOM = 0.03  # least gap between the ball at a restart and a robot [m]
_TRIES = 12  # the number of places to try for the ball if robots are in the way
_INSIDE = 0.2  # distance of throw-ins and corners from the line [m]
_OUTSIDE = 0.7  # distance from the touch line of robots that park, and more for those sent off [m]


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


def spot(pitch: Pitch, call: NDArray[np.int64], team: NDArray[np.int64]) -> Floats:
    """Returns the place of each world's restart by a team, (W, 2) [m], for the ball where it is."""
    half, pose = pitch.ball.half, pitch.ball_pose
    limit = half - _INSIDE
    ball = np.clip(pose[:, :2], -limit, limit)
    ahead = np.where(team == 0, 1.0, -1.0)  # to the opponents' goal
    aside = np.where(pose[:, 1] < 0.0, -1.0, 1.0)
    mark = half[0] - pitch.field.penalty_distance
    free_kick = _free_kick(pitch, ball)
    spots = {
        Call.KICK_OFF: np.zeros_like(ball),
        Call.THROW_IN: np.stack([ball[:, 0], aside * limit[1]], axis=1),
        Call.PENALTY: np.stack([ahead * mark, 0.0 * aside], axis=1),
        Call.GOAL_KICK: np.stack([-ahead * (half[0] - 2.5), aside * 1.5], axis=1),
        Call.CORNER: np.stack([ahead, aside], axis=1) * limit,
        Call.FREE_KICK: free_kick,
        Call.DROP_BALL: free_kick,
    }
    for each, place in spots.items():
        ball = np.where((call == each)[:, None], place, ball)
    return ball


def _free_kick(pitch: Pitch, ball: Floats) -> Floats:
    """Returns the places of free kicks, (W, 2) [m], outside the penalty areas."""
    field = pitch.field
    reach = field.goal_width / 2.0 + field.penalty_area
    near = np.abs(ball[:, 0]) > field.length / 2.0 - field.penalty_area
    spots = np.array(field.restart_spots())
    way = ball[:, None] - spots
    nearest = spots[(way * way).sum(axis=-1).argmin(axis=1)]
    return np.where((near & (np.abs(ball[:, 1]) < reach))[:, None], nearest, ball)


def free_spot(pitch: Pitch, worlds: Numbers, place: Floats) -> Floats:
    """Returns places, (w, 2) [m], moved towards the centre until no robot is in the way.

    The physics would eject a ball from inside a robot, possibly off the field again.
    """
    way = np.sqrt((place * place).sum(axis=1, keepdims=True))
    inwards = -place / np.maximum(way, 1e-9)
    room = pitch.dialect.robot_radius + pitch.dialect.ball_radius + _ROOM
    steps = np.arange(_TRIES)[:, None] * room
    tried = place[:, None] + inwards[:, None] * steps  # (w, tries, 2)
    off = tried[:, :, None] - pitch.place[worlds][:, None]
    clear = ((off * off).sum(axis=-1) > room * room).all(axis=-1)
    return np.asarray(tried[np.arange(len(place)), clear.argmax(axis=1)])


def taker(pitch: Pitch, place: Floats, team: NDArray[np.int64]) -> Bools:
    """Returns which robot takes each world's restart at a place, (W, 2): the nearest, (W, N).

    Keepers take none if they have mates; nobody takes a drop ball, of team -1.
    """
    ours = (pitch.team == team[:, None]) & ~pitch.sent_off
    field = ours & ~pitch.keeper
    ours = np.where(field.any(axis=1, keepdims=True), field, ours)
    way = pitch.place - place[:, None]
    distance = np.where(ours, (way * way).sum(axis=-1), np.inf)
    first = np.arange(len(pitch.names)) == distance.argmin(axis=1)[:, None]
    return np.asarray(first & ours)


def distances(
    pitch: Pitch, place: Floats, call: NDArray[np.int64], team: NDArray[np.int64]
) -> Floats:
    """Returns how far robots keep from each world's ball until it is in play, (W, N) [m]."""
    takes = taker(pitch, place, team)
    ours = pitch.team == team[:, None]
    penalty = (call == Call.PENALTY)[:, None]
    dropped = (team < 0)[:, None]
    keeps = np.where(ours | dropped, MATES, OPPONENTS)
    keeps = np.where(penalty, np.where(pitch.keeper & ~ours, 0.0, _PENALTY), keeps)
    return np.where(takes | pitch.sent_off, 0.0, keeps)


def penalty_places(pitch: Pitch, worlds: Numbers, team: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Returns places (w, N, 2) [m] and yaws (w, N) [rad] at penalties that teams, (w,), take.

    The taker stands behind the ball, the opponents' keeper in its goal, and all others in rows
    beyond the middle of the field.
    """
    half, count = pitch.ball.half, len(pitch.names)
    ahead = np.where(team == 0, 1.0, -1.0)
    ours = pitch.team == team[:, None]
    mark = np.zeros((len(pitch.world), 2))
    mark[worlds, 0] = ahead * (half[0] - pitch.field.penalty_distance)
    every = np.full(len(pitch.world), -1)
    every[worlds] = team
    takes = taker(pitch, mark, every)[worlds]
    number = _numbers(pitch)
    behind = np.where(ours, 0.5, 1.5)
    x = -behind * np.ones((len(worlds), count))
    y = (number - 5.0) * 0.9 * np.ones_like(x)
    keeps = pitch.keeper[worlds] & ~ours
    x = np.where(takes, half[0] - pitch.field.penalty_distance - 0.6, x)
    x = np.where(keeps, half[0] - 0.3, x)
    y = np.where(takes | keeps, 0.0, y)
    place = np.stack([ahead[:, None] * x, ahead[:, None] * y], axis=-1)
    yaw = np.where((ahead[:, None] > 0) ^ keeps, 0.0, np.pi)
    return outside(pitch, worlds, place), yaw


def outside(pitch: Pitch, worlds: Numbers, place: Floats) -> Floats:
    """Returns places, (w, N, 2), with those robots that were sent off behind the boundary."""
    return np.where(pitch.sent_off[worlds, :, None], _aside(pitch, pitch.field.margin), place)


def parked(pitch: Pitch, worlds: Numbers) -> Floats:
    """Returns places beside the field, each team's in its own half, (w, N, 2) [m]."""
    count = len(worlds)
    return outside(
        pitch, worlds, np.broadcast_to(_aside(pitch, 0.0), (count, *pitch.place[0].shape))
    )


def _aside(pitch: Pitch, farther: float) -> Floats:
    """Returns places in a row beside the touch line, (N, 2) [m]."""
    number = _numbers(pitch)
    spots = np.stack([-0.6 - 0.65 * number, -np.full_like(number, pitch.ball.half[1])], axis=1)
    spots[:, 1] -= _OUTSIDE + farther
    return np.asarray(pitch.side[:, None] * spots)


def _numbers(pitch: Pitch) -> Floats:
    """Returns the number of each robot in its team, (N,)."""
    every = np.arange(len(pitch.team), dtype=np.float64)
    return every - np.where(pitch.team == 1, (pitch.team == 0).sum(), 0)
