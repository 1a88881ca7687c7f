# SPDX-License-Identifier: Apache-2.0
"""Decides which robot holds the ball."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deepsim_soccer.skills.motion import Floats

NOBODY = -1
"""The code for the holder of a free ball."""

Bools = NDArray[np.bool_]
Numbers = NDArray[np.intp]


def next_holder(holder: Numbers, able: Bools, distance: Floats, team: Numbers) -> Numbers:
    """Returns the number of the robot that holds the ball, or `NOBODY`, (W,).

    An opponent that is able to hold the ball takes it from the holder; otherwise the holder keeps
    it as long as it is able to. Among several candidates, the nearest one gets the ball.

    Args:
        holder: Previous holder, (W,).
        able: Whether each robot is able to hold the ball now, (W, N).
        distance: Distance of each robot from the ball, (W, N), in any monotonic measure.
        team: Team of each robot, (N,).
    """
    held = holder != NOBODY
    ours = held[:, None] & (team[holder][:, None] == team)
    rivals = able & ~ours
    candidates = np.where(rivals.any(axis=-1, keepdims=True), rivals, able)
    keeps = held & np.take_along_axis(able, holder[:, None], axis=1)[:, 0]
    keeps &= ~rivals.any(axis=-1)
    nearest = np.where(candidates, distance, np.inf).argmin(axis=-1)
    found = np.where(candidates.any(axis=-1), nearest, NOBODY)
    return np.where(keeps, holder, found)
