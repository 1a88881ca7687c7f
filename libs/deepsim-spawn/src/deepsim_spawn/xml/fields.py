# SPDX-License-Identifier: Apache-2.0
"""Reads the fields of a description from elements by a table of tags."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from functools import cache
from typing import Any, get_type_hints

from deepsim_math import Color, Vector3

from .element import Element
from .values import boolean, color, integer, number, pair, vector, word

_PARSERS: dict[Any, Callable[[str], Any]] = {
    float: number,
    int: integer,
    bool: boolean,
    Vector3: vector,
    Color: color,
    tuple[float, float]: pair,
}


def read_fields(
    element: Element, description: type, tags: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Returns the values of the fields whose elements exist, by name.

    Args:
        element: The element that holds them.
        description: A dataclass; the types of its fields select the parsers.
        tags: Paths of elements by field; by default each field's own name.
    """
    values: dict[str, Any] = {}
    declared = _declared(description)
    for name, path in (tags or dict(zip(declared, declared, strict=True))).items():
        field, parse = declared[name]
        if field.default is MISSING and field.default_factory is MISSING:
            values[name] = element.require(path).value(parse)
        elif (found := element.find(path)) is not None:
            made = field.default_factory
            values[name] = found.value_or(parse, field.default if made is MISSING else made())
    return values


@cache
def _declared(description: type) -> dict[str, tuple[Field[Any], Callable[[str], Any]]]:
    """Returns the fields of a class with their parsers; `word` for types without a parser."""
    hints = get_type_hints(description)
    return {
        field.name: (field, _PARSERS.get(hints[field.name], word)) for field in fields(description)
    }
