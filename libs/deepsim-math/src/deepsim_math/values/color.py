# SPDX-License-Identifier: Apache-2.0
"""Colours."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import Any, SupportsFloat

from deepsim_math._numbers import number, numbers
from deepsim_math._value import Field, Row, slot_setters


class Color(Row):
    """Red, green, blue and alpha (1 is opaque), each in [0, 1].

    >>> Color(1, 0.5, 0)
    Color(1.0, 0.5, 0.0, 1.0)
    >>> Color(1, 0, 0).isclose((1, 0, 0, 1))
    True

    Raises:
        ValueError: when a channel is outside [0, 1] or NaN.
    """

    __match_args__ = ("r", "g", "b", "a")
    __slots__ = __match_args__

    r: Field[float]
    g: Field[float]
    b: Field[float]
    a: Field[float]

    _fields = attrgetter("r", "g", "b", "a")

    def __init__(
        self,
        r: SupportsFloat = 0.0,
        g: SupportsFloat = 0.0,
        b: SupportsFloat = 0.0,
        a: SupportsFloat = 1.0,
    ) -> None:
        _set_r(self, _channel(r, "r"))
        _set_g(self, _channel(g, "g"))
        _set_b(self, _channel(b, "b"))
        _set_a(self, _channel(a, "a"))

    @classmethod
    def from_array(cls: type[Color], values: Any) -> Color:
        """Builds a Color from r, g, b or r, g, b, a; a Color is returned unchanged."""
        if type(values) is cls:
            return values
        count = 3 if hasattr(values, "__len__") and len(values) == 3 else 4
        return cls(*numbers(values, count, "Color"))

    def isclose(self, other: Color, rel_tol: float = 1e-9, abs_tol: float = 1e-9) -> bool:
        """Returns whether each channel is close in the sense of `math.isclose`."""
        return all(
            math.isclose(a, b, rel_tol=rel_tol, abs_tol=abs_tol) for a, b in zip(self, other)
        )


def _channel(value: SupportsFloat, name: str) -> float:
    level = number(value, name)
    if not 0.0 <= level <= 1.0:
        raise ValueError(f"colour channel {name} must be in [0, 1], got {level!r}")
    return level


_set_r, _set_g, _set_b, _set_a = slot_setters(Color)
