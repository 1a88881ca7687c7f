# SPDX-License-Identifier: Apache-2.0
"""Parses numbers in texts."""

from __future__ import annotations

import math

_FIRST = frozenset("+-.0123456789")


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
