# SPDX-License-Identifier: Apache-2.0
"""Crossings of many lines and a shape in its own frame: `_crossings` for arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float64]


def cross_balls(origins: Rows, directions: Rows, radius: float) -> tuple[Rows, Rows]:
    """Returns the first and last t of lines, (n, d), in the ball about the origin; NaN for misses.

    A line of no length stays where it is: it is in the ball for all t, or never.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        square = np.einsum("nd,nd->n", directions, directions)
        middle = -np.einsum("nd,nd->n", origins, directions) / square
        nearest = origins + middle[:, np.newaxis] * directions
        gap = np.einsum("nd,nd->n", nearest, nearest)
        reach = np.sqrt((radius * radius - gap) / square)
        start, end = middle - reach, middle + reach
        still = square == 0.0
        within = np.einsum("nd,nd->n", origins, origins) <= radius * radius
        start[still] = np.where(within[still], -np.inf, np.nan)
        end[still] = np.where(within[still], np.inf, np.nan)
    return start, end


def cross_slab(origins: Rows, directions: Rows, half: float) -> tuple[Rows, Rows]:
    """Returns the first and last t of lines on an axis, (n,), in [-half, half]; NaN for misses."""
    with np.errstate(divide="ignore", invalid="ignore"):
        one, two = (-half - origins) / directions, (half - origins) / directions
        still = directions == 0.0
        within = np.abs(origins) <= half
        start = np.where(still, np.where(within, -np.inf, np.nan), np.minimum(one, two))
        end = np.where(still, np.where(within, np.inf, np.nan), np.maximum(one, two))
    return start, end
