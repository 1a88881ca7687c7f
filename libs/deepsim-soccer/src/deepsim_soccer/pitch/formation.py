# SPDX-License-Identifier: Apache-2.0
"""Starting places of robots."""

from __future__ import annotations

import numpy as np

from deepsim_soccer.skills.motion import Floats

# The five spots of the published launch file, for a team that plays to the right, then six more.
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
    """Returns the places at a kick-off in the team's frame, (robots, 2) [m]; the first is keeper.

    A single robot is not a keeper and begins in the field.

    Args:
        robots: Of a team, 0 to 11.
        length: Of the field; the places of the published field of 18 m are scaled.
    """
    first = 1 if robots == 1 else 0
    return np.array(_SPOTS[first : first + robots]).reshape(-1, 2) * (length / 18.0, 1.0)
