# SPDX-License-Identifier: Apache-2.0
"""Reads the fields of descriptions from the elements that their metadata names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING
from typing import Any, TypeVar

from deepsim_math import Color, Vector3
from deepsim_spawn.description.sdf_paths import sdf_fields

from .element import Element
from .values import boolean, color, integer, number, pair, vector, word

D = TypeVar("D")

_PARSERS: dict[Any, Callable[[str], Any]] = {
    float: number,
    int: integer,
    bool: boolean,
    bool | None: boolean,
    Vector3: vector,
    Color: color,
    tuple[float, float]: pair,
}
"""Parsers by type; `word` for other types."""


def read_fields(element: Element, description: type) -> dict[str, Any]:
    """Returns the values of a description's fields whose elements exist, by name.

    Args:
        element: The element of the description.
        description: A dataclass; its fields have `sdf` metadata, and types that select the parsers.
    """
    values: dict[str, Any] = {}
    for field in sdf_fields(description):
        parse = _PARSERS.get(field.type, word)
        if field.default is MISSING:
            values[field.name] = element.require(field.path).value(parse)
        elif (found := element.find(field.path)) is None:
            continue
        elif field.nested:
            values[field.name] = read_description(found, field.type)
        else:
            values[field.name] = found.value_or(parse, field.default)
    return values


def read_description(element: Element, description: type[D], **others: Any) -> D:
    """Returns a description with the fields of an element; `others` have no `sdf` metadata."""
    return element.make(description, **others, **read_fields(element, description))
