# SPDX-License-Identifier: Apache-2.0
"""The places of robots at a kick-off."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from deepsim_soccer.skills.motion import Floats

# For a team that plays to the right: five spots of the published launch file, then six more.
_SPOTS = [
    (-8.5, 0.0),
    (-2.0, 1.0),
    (-2.0, -1.0),
    (-5.0, 2.0),
    (-5.0, -2.0),
    (-1.0, 3.5),
    (-1.0, -3.5),
    (-4.0, 0.0),
    (-6.5, 1.0),
    (-6.5, -1.0),
    (-4.0, 4.5),
]


def formation(robots: int, length: float = 18.0) -> Floats:
    """Returns the places of a team at a kick-off, (robots, 2) [m], in the team's frame.

    The first robot of two or more is the keeper. The places of the published field, which is 18 m
    long, are scaled to `length` [m].
    """
    first = 1 if robots == 1 else 0
    return np.array(_SPOTS[first : first + robots]).reshape(-1, 2) * (length / 18.0, 1.0)


def starting_places(counts: Iterable[int], length: float) -> tuple[Floats, Floats]:
    """Returns places (N, 2) [m] and yaws (N,) [rad] of both teams at a kick-off.

    Args:
        counts: Number of robots of cyan and of magenta.
        length: Length of the field [m].
    """
    cyan, magenta = (formation(count, length) for count in counts)
    return np.concatenate([cyan, -magenta]), np.repeat([0.0, np.pi], [len(cyan), len(magenta)])
