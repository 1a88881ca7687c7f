# SPDX-License-Identifier: Apache-2.0
"""`<light>` elements."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from lxml import etree

from .pose import write_pose
from .values import put

if TYPE_CHECKING:
    from deepsim_spawn.description.light import LightDescription


def write_light(owner: etree._Element, light: LightDescription) -> None:
    """Adds a light to a world or link."""
    element = etree.SubElement(owner, "light", name=light.name, type=light.type)
    write_pose(element, light.pose)
    for tag in ("cast_shadows", "diffuse", "specular", "direction"):
        put(element, tag, getattr(light, tag))
    for tag in ("attenuation", "spot"):
        part = getattr(light, tag)
        for field in fields(part):
            put(element, f"{tag}/{field.name}", getattr(part, field.name))
