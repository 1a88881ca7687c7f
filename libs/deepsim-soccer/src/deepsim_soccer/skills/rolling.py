# SPDX-License-Identifier: Apache-2.0
"""The decay of a rolling ball."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .motion import Floats


def rolled(velocity: ArrayLike, deceleration: float, time: float) -> Floats:
    """Returns the velocity of a rolling ball after some time, under F = -mu m g v / |v|.

    Args:
        velocity: (..., 2) [m/s].
        deceleration: mu g [m/s²].
        time: [s].

    Returns:
        (..., 2); a ball stops, and does not turn back.
    """
    moved = np.asarray(velocity, np.float64)
    return np.asarray(moved * kept_share(moved, deceleration, time)[..., None])


def kept_share(velocity: Floats, deceleration: float, time: float) -> Floats:
    """Returns the share of its speed that a rolling ball keeps, (...); see `rolled`.

    Args:
        velocity: (..., n) [m/s], of which x and y count.
        deceleration: mu g [m/s²].
        time: [s].
    """
    x, y = velocity[..., 0], velocity[..., 1]
    speed = np.sqrt(x * x + y * y)
    left = np.maximum(speed - deceleration * time, 0.0)
    return np.asarray(left / np.maximum(speed, 1e-300))
