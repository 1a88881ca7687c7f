# SPDX-License-Identifier: Apache-2.0
"""Uniqueness of the names of siblings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from .element import Element
from .values import word


def unique_names(elements: Sequence[Element]) -> None:
    """Refuses missing and duplicate names."""
    first: dict[str, Element] = {}
    for element in elements:
        name = element.require_attribute("name", word)
        if name in first:
            raise element.error(_taken(name, first[name]))
        first[name] = element


def number_names(elements: Sequence[Element]) -> None:
    """Appends a number to each duplicate name, for names that nothing refers to.

    A strict load refuses duplicates.
    """
    first: dict[str, Element] = {}
    taken = {element.attributes.get("name", "") for element in elements}
    numbers = {name: count(2) for name in taken}
    for element in elements:
        name = element.attributes.get("name", "")
        if name and name in first:
            element.repair(_taken(name, first[name]), "duplicate names are numbered")
            free = (f"{name}_{number}" for number in numbers[name])
            element.attributes["name"] = name = next(each for each in free if each not in taken)
            taken.add(name)
        first[name] = element


def _taken(name: str, element: Element) -> str:
    return f"the name {name!r} is already used at {element.place}"
