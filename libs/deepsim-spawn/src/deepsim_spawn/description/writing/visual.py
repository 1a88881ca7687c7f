# SPDX-License-Identifier: Apache-2.0
"""`<visual>` and `<material>` elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from .geometry import write_geometry
from .pose import write_pose
from .values import put

if TYPE_CHECKING:
    from deepsim_spawn.description.visual import VisualDescription


def write_visual(link: etree._Element, visual: VisualDescription) -> None:
    """Adds a visual to a link; one that is not drawn becomes transparent, as SDF cannot hide it."""
    element = etree.SubElement(link, "visual", name=visual.name)
    write_pose(element, visual.pose)
    write_geometry(element, visual.geometry)
    if visual.material is not None:
        for color in ("ambient", "diffuse", "specular", "emissive"):
            put(element, f"material/{color}", getattr(visual.material, color))
    put(element, "transparency", visual.transparency if visual.visible else 1.0)
    put(element, "cast_shadows", visual.cast_shadows)
