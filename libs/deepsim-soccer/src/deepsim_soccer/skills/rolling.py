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
    x, y = moved[..., 0], moved[..., 1]
    speed = np.sqrt(x * x + y * y)
    lost = deceleration * time
    share = np.maximum(speed - lost, 0.0) / np.maximum(speed, 1e-300)
    return np.asarray(moved * share[..., None])
