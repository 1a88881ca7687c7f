# SPDX-License-Identifier: Apache-2.0
"""`<gazebo>` elements, which extend a robot, its links and its joints."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from typing import TypeVar

from deepsim_spawn.xml import Element

T = TypeVar("T")


class Extension:
    """All `<gazebo>` elements that refer to one link or joint, in order; later ones win."""

    def __init__(self, elements: list[Element]) -> None:
        self._elements = elements

    def find_all(self, tag: str) -> list[Element]:
        """Returns the children of all elements with this tag."""
        return [child for element in self._elements for child in element.find_all(tag)]

    def get(self, tag: str, parse: Callable[[str], T], default: T) -> T:
        """Returns the value of the last child with this tag."""
        values = [child.value_or(parse, default) for child in self.find_all(tag)]
        return values[-1] if values else default


class Extensions:
    """The `<gazebo>` elements of a robot.

    Args:
        robot: The `<robot>`.
        names: Names of its links and joints; references to other names have no effect.
    """

    def __init__(self, robot: Element, names: Collection[str]) -> None:
        self._by_reference: dict[str, list[Element]] = defaultdict(list)
        for element in robot.find_all("gazebo"):
            reference = element.attribute("reference", str, "")
            if reference and reference not in names:
                element.mark_read()
                element.warn_unsupported(f"no link or joint {reference!r}", "/@reference")
            self._by_reference[reference].append(element)

    def of(self, reference: str) -> Extension:
        """Returns the extensions of a link or joint, or those of the robot for an empty name."""
        return Extension(self._by_reference.get(reference, []))
