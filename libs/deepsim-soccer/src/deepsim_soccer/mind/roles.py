# SPDX-License-Identifier: Apache-2.0
"""Assigns roles to the robots of a team."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from deepsim_soccer.pitch import Pitch


class Role(IntEnum):
    """The role of a robot in its team.

    Example:
        >>> roles, ranks = assign_roles(pitch, np.zeros((1, 2), int))
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


def assign_roles(pitch: Pitch, before: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
    """Returns the role of each robot and its rank among the robots of that role, (W, N) each.

    The keeper is that of the pitch, except in a team of one. The attacker is the robot that holds
    the ball or will be nearest to it, or that takes the restart. The robots farthest ahead of the
    others are supporters: one in a team of up to five robots, two in a larger team.

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
    rank = np.zeros(distance.shape, np.int64)
    for team in (0, 1):
        ours = np.flatnonzero(pitch.team == team)
        if not len(ours):
            continue
        mine = (pitch.team == team) & ~pitch.sent_off
        keeper = mine & pitch.keeper & (mine.sum(axis=-1, keepdims=True) > 1)
        field = mine & ~keeper
        attacker = field & (np.where(field, distance, _FAR).argmin(axis=-1)[:, None] == numbers)
        rest = field & ~attacker
        ahead = np.where(rest, pitch.side * pitch.place[..., 0], -_FAR)
        # The rank is the number of robots farther ahead; among equals, the lower number is first.
        more = ahead[:, None, :] > ahead[:, :, None]
        equal = (ahead[:, None, :] == ahead[:, :, None]) & (numbers[None, :] < numbers[:, None])
        order = (more | equal).sum(axis=-1)
        supporters = 1 if len(ours) <= 5 else 2
        supports = rest & (order < supporters)
        role = np.where(keeper, Role.KEEPER, role)
        role = np.where(attacker, Role.ATTACKER, role)
        role = np.where(supports, Role.SUPPORTER, role)
        rank = np.where(supports, order, np.where(rest, order - supporters, rank))
    return role, rank
