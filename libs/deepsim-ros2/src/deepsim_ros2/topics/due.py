# SPDX-License-Identifier: Apache-2.0
"""When a topic is published: at a rate of simulated time."""

from __future__ import annotations

import math

_ALMOST = 1e-6  # of a period, by which an instant may be early because of rounding


class Due:
    """Reports the first instant at or after each multiple of a period.

    >>> due = Due(10.0)
    >>> [due.at(time) for time in (0.0, 0.05, 0.1, 0.15)]
    [True, False, True, False]

    Args:
        rate: Rate in simulated time [Hz]; 0 for every instant.
    """

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._index: int | None = None

    def at(self, time: float) -> bool:
        """Returns whether the topic is due at an instant [s]; instants may go back by a reset."""
        if self._rate == 0.0:
            return True
        index = math.floor(time * self._rate + _ALMOST)
        is_due = index != self._index
        self._index = index
        return is_due
