# SPDX-License-Identifier: Apache-2.0
"""Names of siblings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from .element import Element
from .values import word


def unique_names(elements: Sequence[Element]) -> None:
    """Refuses a name that an earlier element has.

    Raises:
        ModelFormatError: A name is missing or taken.
    """
    first: dict[str, Element] = {}
    for element in elements:
        name = element.require_attribute("name", word)
        if name in first:
            raise element.error(_taken(name, first[name]))
        first[name] = element


def number_names(elements: Sequence[Element]) -> None:
    """Numbers the names that an earlier element has, where nothing else refers to them.

    Raises:
        ModelFormatError: The load is strict, and a name is taken.
    """
    first: dict[str, Element] = {}
    taken = {element.attributes.get("name", "") for element in elements}
    numbers = {name: count(2) for name in taken}
    for element in elements:
        name = element.attributes.get("name", "")
        if name and name in first:
            element.repair(_taken(name, first[name]), "names that occur twice are numbered")
            free = (f"{name}_{number}" for number in numbers[name])
            element.attributes["name"] = name = next(each for each in free if each not in taken)
            taken.add(name)
        first[name] = element


def _taken(name: str, element: Element) -> str:
    return f"the name {name!r} is taken by the one at {element.place}"
