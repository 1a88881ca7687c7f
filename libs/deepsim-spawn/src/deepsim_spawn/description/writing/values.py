# SPDX-License-Identifier: Apache-2.0
"""Values as the text of elements, so that reading gives the same bits."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import SupportsFloat, TypeAlias

from lxml import etree

Value: TypeAlias = str | bool | SupportsFloat | Iterable[float]
"""A word, a truth value, a number, or several numbers."""


def put(parent: etree._Element, path: str, value: Value) -> None:
    """Sets the text of the element at a path, which is made where it is missing."""
    element = parent
    for tag in path.split("/"):
        child = element.find(tag)
        element = etree.SubElement(element, tag) if child is None else child
    element.text = _text(value)


def _text(value: Value) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Iterable):
        return " ".join(repr(float(number)) for number in value)
    return repr(float(value))  # the shortest text that reads as the same number
