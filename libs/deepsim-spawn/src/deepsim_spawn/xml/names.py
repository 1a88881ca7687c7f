# SPDX-License-Identifier: Apache-2.0
"""Names of siblings."""

from __future__ import annotations

from collections.abc import Iterable

from .element import Element
from .values import word


def unique_names(elements: Iterable[Element]) -> None:
    """Refuses a name that an earlier element has.

    Raises:
        ModelFormatError: A name is missing or taken.
    """
    first: dict[str, Element] = {}
    for element in elements:
        name = element.require_attribute("name", word)
        if name in first:
            raise element.error(f"the name {name!r} is taken by the one at {first[name].place}")
        first[name] = element
