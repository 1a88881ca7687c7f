# SPDX-License-Identifier: Apache-2.0
"""Names that URDF allows and descriptions do not."""

from __future__ import annotations

from deepsim_spawn.description.names import is_reserved
from deepsim_spawn.xml import Element
from deepsim_spawn.xml.values import word


def free_name(element: Element) -> str:
    """Returns the name of a robot or joint; a reserved one is changed, with a warning."""
    name = element.require_attribute("name", word)
    if not is_reserved(name):
        return name
    siblings = () if element.parent is None else element.parent.children
    taken = {sibling.attributes.get("name") for sibling in siblings}
    free = name
    while is_reserved(free) or free in taken:
        free += f"_{element.tag}"
    element.warn(f"the name {name!r} is reserved, {free!r} is used")
    return free
