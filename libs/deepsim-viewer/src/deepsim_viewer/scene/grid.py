# SPDX-License-Identifier: Apache-2.0
"""The grid in which worlds stand beside each other."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def world_offsets(worlds: int, spacing: float) -> NDArray[np.float64]:
    """Returns positions (worlds, 3) on a square grid around the origin, row by row [m]."""
    side = math.ceil(math.sqrt(worlds))
    rows = math.ceil(worlds / side)
    number = np.arange(worlds)
    x = (number % side - (side - 1) / 2) * spacing
    y = ((rows - 1) / 2 - number // side) * spacing
    return np.column_stack([x, y, np.zeros(worlds)])
