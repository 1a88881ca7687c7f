# SPDX-License-Identifier: Apache-2.0
"""Parsers of values, which raise a ValueError that says what was expected and what was given."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from deepsim_math import Color, Vector3
from deepsim_spawn.description.checks import LARGEST

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_INFINITY = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE | re.ASCII)

_TRUTH = {"true": True, "1": True, "false": False, "0": False}


def word(text: str) -> str:
    """Returns the text, which must not be empty."""
    if not text:
        raise ValueError("expected text, got nothing")
    return text


def boolean(text: str) -> bool:
    """Returns True for ``true`` and ``1``, False for ``false`` and ``0``, in any case."""
    try:
        return _TRUTH[text.lower()]
    except KeyError:
        raise ValueError(f"expected true or false, got {_shown(text)}") from None


def numbers(text: str, *counts: int) -> list[float]:
    """Returns finite numbers separated by blanks; their number must be one of the counts."""
    # stricter than float(), which also reads nan, 1_000 and digits of other scripts
    values = [float(word) if _NUMBER.fullmatch(word) else math.nan for word in text.split()]
    if len(values) not in counts or not all(map(math.isfinite, values)):
        many = " or ".join(map(str, counts)) + " finite numbers"
        expected = "a finite number" if counts == (1,) else many
        hint = ", separated by blanks, not commas" if "," in text and counts != (1,) else ""
        raise ValueError(f"expected {expected}{hint}, got {_shown(text)}")
    if any(abs(value) > LARGEST for value in values):
        raise ValueError(f"expected numbers up to {LARGEST:g}, got {_shown(text)}")
    return values


def number(text: str) -> float:
    """Returns one finite number."""
    return numbers(text, 1)[0]


def limit(text: str) -> float:
    """Returns one number or ``inf`` or ``-inf``; numbers from 1e16 on are infinite."""
    if not (_NUMBER.fullmatch(text) or _INFINITY.fullmatch(text)):
        raise ValueError(f"expected a number or inf, got {_shown(text)}")
    value = float(text)
    return math.copysign(math.inf, value) if abs(value) >= 1e16 else value


def integer(text: str) -> int:
    """Returns an integer, decimal or hexadecimal with the prefix ``0x``."""
    if not re.fullmatch(r"[+-]?(\d+|0[xX][0-9a-fA-F]+)", text, re.ASCII) or len(text) > 20:
        raise ValueError(f"expected an integer, got {_shown(text)}")
    return int(text, 16) if "x" in text.lower() else int(text)


def pair(text: str) -> tuple[float, float]:
    """Returns two finite numbers."""
    first, second = numbers(text, 2)
    return first, second


def vector(text: str) -> Vector3:
    """Returns three finite numbers as a vector."""
    return Vector3(*numbers(text, 3))


def factors(text: str) -> list[float]:
    """Returns one, three or four finite numbers."""
    return numbers(text, 1, 3, 4)


def color(text: str) -> Color:
    """Returns red, green, blue, and alpha (default 1), each in 0..1."""
    return Color(*numbers(text, 3, 4))


PARSERS: Mapping[Any, Callable[[str], Any]] = {
    float: number,
    int: integer,
    bool: boolean,
    bool | None: boolean,
    Vector3: vector,
    Color: color,
    tuple[float, float]: pair,
}
"""Parsers of the fields of descriptions by type; `word` is that of other types."""


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
