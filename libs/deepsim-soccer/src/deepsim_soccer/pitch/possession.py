# SPDX-License-Identifier: Apache-2.0
"""Decides which robot holds the ball."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deepsim_soccer.skills.motion import Floats

NOBODY = -1
"""The holder of a ball that is free."""

Bools = NDArray[np.bool_]
Numbers = NDArray[np.intp]


def next_holder(holder: Numbers, able: Bools, distance: Floats, team: Numbers) -> Numbers:
    """Returns who holds the ball, (W,) numbers of robots or `NOBODY`.

    A holder keeps the ball as long as it is able to. An opponent that is able to takes it away; of
    several robots that are able to the nearest one does.

    Args:
        holder: Who held it, (W,).
        able: Who may hold it now, (W, N).
        distance: Of each robot from the ball, (W, N) [m].
        team: Of each robot, (N,).
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
