# SPDX-License-Identifier: Apache-2.0
"""Roles of the robots of a team, and where those wait that neither keep nor attack."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from deepsim_soccer.pitch import Pitch
from deepsim_soccer.skills.motion import Floats

Numbers = NDArray[np.int64]

# How many of n such robots are in front of the ball, behind it, and before the goal; n is 0 to 10.
_ROWS = [
    (0, 0, 0),
    (1, 0, 0),
    (1, 0, 1),
    (1, 0, 2),
    (2, 0, 2),
    (2, 1, 2),
    (2, 1, 3),
    (2, 2, 3),
    (3, 2, 3),
    (3, 2, 4),
    (3, 3, 4),
]
FRONT, MIDDLE, BACK = 0, 1, 2
AHEAD = 2.5  # distance of the front row ahead of the ball [m]
BEHIND = 1.5  # distance of the middle row behind it [m]
SHARE = 0.45  # place of the back row on the way from the goal line to the ball
WIDTHS = (2.9, 2.2, 1.2)  # distance between the neighbours of each row, across the field [m]
_PLACE_LOYALTY = 0.7  # a robot changes its place in the order for another one by this distance [m]


def rows(count: Numbers, rank: Numbers) -> tuple[Numbers, Numbers]:
    """Returns the row of each robot, and how many robots are in it, given its rank from the front.

    Args:
        count: Number of such robots of its team.
        rank: 0 for the foremost one.
    """
    size = np.array(_ROWS)[np.clip(count, 0, len(_ROWS) - 1)]
    edges = size.cumsum(axis=-1)
    row = (rank[..., None] >= edges[..., :2]).sum(axis=-1)
    return row, np.take_along_axis(size, row[..., None], axis=-1)[..., 0]


def order(pitch: Pitch, waits: NDArray[np.bool_], post: Floats) -> tuple[Numbers, Numbers, Numbers]:
    """Returns each waiting robot's row, its number in the row from its right, and the row's size.

    Robots keep the order that they have on the field, with some loyalty to their posts.

    Args:
        pitch: The robots.
        waits: Which robots wait for the ball, (W, N).
        post: Their previous posts, (W, N, 2) [m], in the frames of their teams; NaN for none.
    """
    place = pitch.side[:, None] * pitch.place
    way = post - place
    length = np.sqrt((way * way).sum(axis=-1, keepdims=True))
    step = np.minimum(_PLACE_LOYALTY / np.maximum(length, 1e-9), 1.0) * way
    place = place + np.where(np.isfinite(step), step, 0.0)
    mates = waits[:, :, None] & waits[:, None, :] & (pitch.team[:, None] == pitch.team)
    rank = _before(-place[..., 0], mates)
    row, size = rows(mates.sum(axis=-1), rank)
    lane = _before(place[..., 1], mates & (row[:, :, None] == row[:, None, :]))
    return row, lane, size


def _before(value: Floats, mates: NDArray[np.bool_]) -> Numbers:
    """Returns how many mates come before each robot, (W, N): those of smaller values or numbers."""
    numbers = np.arange(value.shape[1])
    less = value[:, None, :] < value[:, :, None]
    equal = (value[:, None, :] == value[:, :, None]) & (numbers[None, :] < numbers[:, None])
    return np.asarray((mates & (less | equal)).sum(axis=-1))


def posts(pitch: Pitch, row: Numbers, lane: Numbers, size: Numbers) -> Floats:
    """Returns the posts of robots, (W, N, 2) [m], in the frames of their teams.

    The front row waits for passes, ahead of the ball; the middle row covers the attacker; the back
    row stands between the ball and the team's own goal.
    """
    half = pitch.field.length / 2.0
    ball = pitch.side[:, None] * pitch.ball_place[:, None, :2]
    x, y = ball[..., 0], ball[..., 1]
    back = -half + SHARE * (x + half)
    # Rows stay apart also where the penalty areas leave them no room.
    front = np.clip(x + AHEAD, -half + 5.2, half - 2.9)
    centre = np.clip(np.maximum(x - BEHIND, back + BEHIND), -half + 3.9, half - 4.2)
    ahead = np.stack([front, centre, back])
    # A single robot in front waits on the other side of the field.
    alone = np.where(y >= 0.0, -2.6, 2.6)
    middle = np.stack([np.where(size == 1, alone, 0.0), 0.5 * y, SHARE * y])
    aside = (lane - 0.5 * (size - 1)) * np.array(WIDTHS)[row]
    chosen = row[None]
    across = np.take_along_axis(middle, chosen, axis=0)[0] + aside
    return np.stack([np.take_along_axis(ahead, chosen, axis=0)[0], across], axis=-1)


class Role(IntEnum):
    """The role of a robot in its team.

    Example:
        >>> roles = assign_roles(pitch, np.zeros((1, 2), int))
        >>> [Role(role).name for role in roles[0]]  # one robot of each team
        ['ATTACKER', 'ATTACKER']
    """

    KEEPER = 0
    ATTACKER = 1
    SUPPORTER = 2
    DEFENDER = 3


_FAR = 1e6  # no robot is farther away [m]
_FORESIGHT = 0.5  # the motion of the ball is extrapolated over this time [s]
_LOYALTY = 0.4  # a robot replaces the attacker if it is nearer to the ball by this distance [m]


def assign_roles(pitch: Pitch, before: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns the `Role` of each robot, (W, N), of which no supporter is known yet.

    The keeper is that of the pitch, except in a team of one. The attacker is the robot that holds
    the ball or will be nearest to it, or that takes the restart. All others are defenders, until
    `TeamMind` makes those in the front row of its formation supporters.

    Args:
        pitch: The robots and the ball.
        before: `Role` codes of the previous step, (W, N).
    """
    soon = pitch.ball_place[:, :2] + _FORESIGHT * pitch.ball_velocity[:, :2]
    way = soon[:, None] - pitch.place
    distance = np.sqrt(way[..., 0] * way[..., 0] + way[..., 1] * way[..., 1])
    distance = distance - _LOYALTY * (before == Role.ATTACKER)
    numbers = np.arange(len(pitch.names))
    distance = np.where(pitch.holder[:, None] == numbers, -1.0, distance)
    distance = distance + 0.5 * _FAR * (pitch.distance > 0.0)  # others take the restart
    role = np.full(distance.shape, int(Role.DEFENDER))
    for team in (0, 1):
        mine = (pitch.team == team) & ~pitch.sent_off
        keeper = mine & pitch.keeper & (mine.sum(axis=-1, keepdims=True) > 1)
        field = mine & ~keeper
        attacker = field & (np.where(field, distance, _FAR).argmin(axis=-1)[:, None] == numbers)
        role = np.where(keeper, Role.KEEPER, role)
        role = np.where(attacker, Role.ATTACKER, role)
    return role
