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
