# SPDX-License-Identifier: Apache-2.0
"""The checks that all descriptions share: numbers that make sense, names that are unique."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from deepsim_math import Vector3
from deepsim_sync import SCOPE


def vector(what: str, value: Vector3 | Sequence[float]) -> Vector3:
    """Any three finite numbers as a vector."""
    try:
        x, y, z = (float(number) for number in value)
    except (TypeError, ValueError):
        raise TypeError(f"{what} must be three numbers, got {value!r}") from None
    if not all(map(math.isfinite, (x, y, z))):
        raise ValueError(f"{what} must be finite, got ({x:g}, {y:g}, {z:g})")
    return Vector3(x, y, z)


def direction(what: str, value: Vector3 | Sequence[float]) -> Vector3:
    """Any three numbers that are not all zero as a vector of length one."""
    x, y, z = vector(what, value)
    length = math.hypot(x, y, z)
    if length < 1e-9:
        raise ValueError(f"{what} must have a length > 0, got ({x:g}, {y:g}, {z:g})")
    return Vector3(x / length, y / length, z / length)


def positive(what: str, *values: float) -> None:
    """Refuses numbers that are not finite and above zero."""
    for value in values:
        if not (math.isfinite(value) and value > 0.0):
            raise ValueError(f"{what} must be > 0, got {value:g}")


def not_negative(what: str, value: float) -> None:
    """Refuses numbers below zero and NaN; infinity passes."""
    if not value >= 0.0:
        raise ValueError(f"{what} must be >= 0, got {value:g}")


def fraction(what: str, value: float) -> None:
    """Refuses numbers outside 0..1."""
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{what} must lie in 0..1, got {value:g}")


def unique(owner: str, kind: str, names: Iterable[str]) -> None:
    """Refuses empty names, names that look scoped, and names that occur twice."""
    for name, count in Counter(names).items():
        if not name or SCOPE in name:
            raise ValueError(f"{owner} has a {kind} named {name!r}: give a name without {SCOPE!r}")
        if count > 1:
            raise ValueError(f"{owner} has {count} {kind}s named {name!r}: names must be unique")
