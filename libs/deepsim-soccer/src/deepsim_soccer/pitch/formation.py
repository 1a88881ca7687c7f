# SPDX-License-Identifier: Apache-2.0
"""The places of robots at a kick-off."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from deepsim_soccer.skills.motion import Floats

# Five spots from the published launch file, then six more, for a team that plays to the right.
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

    The first of two or more robots is the keeper. The published places, for a field of 18 m, are
    scaled to a field of `length` [m].
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
