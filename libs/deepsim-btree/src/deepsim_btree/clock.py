# SPDX-License-Identifier: Apache-2.0
"""Reading the clock of a tree."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .errors import BtreeError

if TYPE_CHECKING:
    from collections.abc import Callable


def read_clock(clock: Callable[[], float], last: float | None, owner: object) -> float:
    """Returns the present time of a clock [s].

    Args:
        clock: Returns the time in seconds.
        last: The previous time; None for the first reading.
        owner: The tree that has the clock, for messages.

    Raises:
        BtreeError: The time is less than `last`, or NaN.
    """
    now = float(clock())
    earliest = -math.inf if last is None else last
    if not now >= earliest:  # NaN is caught as well
        raise BtreeError(
            f"the clock of {owner!r} went from {earliest} s to {now} s, but time only goes on: "
            "call reset() when the simulation starts again"
        )
    return now
