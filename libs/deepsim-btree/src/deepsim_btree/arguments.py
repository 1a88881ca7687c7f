# SPDX-License-Identifier: Apache-2.0
"""Checks of the arguments that several nodes share, and of the times that a clock gives."""

from __future__ import annotations

import math
from collections.abc import Callable

from .errors import BtreeError
from .status import Status

_FIRST = frozenset("+-.0123456789")


def check_int(argument: str, value: int) -> int:
    """Returns `value`, which must be an int and not a bool, or raises TypeError."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{argument} must be an int, got {value!r}")
    return value


def check_count(argument: str, value: int, minimum: int) -> int:
    """Returns `value`, which must be an int of at least `minimum`."""
    if check_int(argument, value) < minimum:
        raise ValueError(f"{argument} must be at least {minimum}, got {value}")
    return value


def check_seconds(value: float) -> float:
    """Returns a number of seconds as a float, which must be finite and not negative."""
    try:
        if isinstance(value, (str, bytes, bool)):
            raise TypeError
        seconds = float(value)
    except TypeError:
        raise TypeError(f"seconds must be a number, got {value!r}") from None
    if not 0.0 <= seconds < math.inf:
        raise ValueError(f"seconds must be a finite number >= 0, got {value!r}")
    return seconds


def check_status(argument: str, value: Status) -> Status:
    """Returns `value`, which must be a `Status`, or raises TypeError."""
    if not isinstance(value, Status):
        raise TypeError(f"{argument} must be a Status, got {value!r}")
    return value


def read_clock(clock: Callable[[], float], last: float | None, owner: object) -> float:
    """Returns the time of a clock [s]; raises BtreeError if it is NaN or less than `last`."""
    now = float(clock())
    earliest = -math.inf if last is None else last
    if not now >= earliest:  # NaN is caught as well
        raise BtreeError(
            f"the clock of {owner!r} went from {earliest} s to {now} s, but time only goes on: "
            "call reset() when the simulation starts again"
        )
    return now


def read_number(text: str) -> int | float | None:
    """Returns the number in a text, or None if the text is not a finite number."""
    # Python accepts more than a file should: 1_000, spaces around, digits of other alphabets.
    if text[:1] not in _FIRST or not text.isascii() or "_" in text or text != text.rstrip():
        return None
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
