# SPDX-License-Identifier: Apache-2.0
"""`<visual>` elements."""

from __future__ import annotations

from deepsim_spawn.description import VisualDescription
from deepsim_spawn.xml import Element
from deepsim_spawn.xml.values import boolean, number, word

from .frames import Scope
from .geometry import read_geometry, unless_left_out
from .material import read_material
from .pose import read_pose


def read_visual(element: Element, link: str, scope: Scope) -> VisualDescription | None:
    """Returns a visual of a link, or None if its shape is not supported."""
    name = element.require_attribute("name", word)
    pose, relative_to = read_pose(element)
    material = element.find("material")
    geometry = unless_left_out(element, read_geometry)
    if geometry is None:
        element.skip("material", "transparency", "cast_shadows")
        return None
    return element.make(
        VisualDescription,
        name=name,
        geometry=geometry,
        pose=scope.relative_pose(pose, relative_to, link, element),
        material=None if material is None else read_material(material),
        transparency=element.get("transparency", number, 0.0),
        cast_shadows=element.get("cast_shadows", boolean, True),
    )
