# SPDX-License-Identifier: Apache-2.0
"""Colours, and the surface colours of a visual."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import TYPE_CHECKING, Any, SupportsFloat

from deepsim_math._value import Field, Row, number, numbers, slot_setters

if TYPE_CHECKING:
    from deepsim_math._typing import ColorLike


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


_WHITE = Color(1.0, 1.0, 1.0)
_BLACK = Color()


class Material(Row):
    """Ambient, diffuse, specular (highlights) and emissive (own light) colours of a surface.

    As a sequence or an array it is sixteen numbers: r, g, b, a of ambient, diffuse, specular and
    emissive. Each argument is a Color or a sequence of its numbers; the default is plain white.

    >>> red = Material(ambient=(0.5, 0, 0, 1), diffuse=(1, 0, 0, 1))
    >>> red.diffuse.r, red.specular
    (1.0, Color(0.0, 0.0, 0.0, 1.0))
    """

    __match_args__ = ("ambient", "diffuse", "specular", "emissive")
    __slots__ = __match_args__

    ambient: Field[Color]
    diffuse: Field[Color]
    specular: Field[Color]
    emissive: Field[Color]

    _fields = attrgetter("ambient", "diffuse", "specular", "emissive")

    def __init__(
        self,
        ambient: ColorLike = _WHITE,
        diffuse: ColorLike = _WHITE,
        specular: ColorLike = _BLACK,
        emissive: ColorLike = _BLACK,
    ) -> None:
        _set_ambient(self, Color.from_array(ambient))
        _set_diffuse(self, Color.from_array(diffuse))
        _set_specular(self, Color.from_array(specular))
        _set_emissive(self, Color.from_array(emissive))

    @classmethod
    def from_array(cls: type[Material], values: Any) -> Material:
        """Builds a Material from its sixteen numbers; a Material is returned unchanged."""
        if type(values) is cls:
            return values
        row = numbers(values, 16, "Material")
        return cls(row[0:4], row[4:8], row[8:12], row[12:16])

    def _row(self) -> tuple[float, ...]:
        return (*self.ambient, *self.diffuse, *self.specular, *self.emissive)

    def isclose(self, other: Material, rel_tol: float = 1e-9, abs_tol: float = 1e-9) -> bool:
        """Returns whether all four colours are close, channel by channel."""
        return all(
            mine.isclose(theirs, rel_tol, abs_tol)
            for mine, theirs in zip(self._fields(self), other._fields(other))
        )


_set_ambient, _set_diffuse, _set_specular, _set_emissive = slot_setters(Material)
