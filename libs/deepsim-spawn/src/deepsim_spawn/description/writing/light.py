# SPDX-License-Identifier: Apache-2.0
"""`<light>` elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from deepsim_spawn.description.tags import ATTENUATION, LIGHT, SPOT

from .values import put_fields, write_pose

if TYPE_CHECKING:
    from deepsim_spawn.description.light import LightDescription


def write_light(owner: etree._Element, light: LightDescription) -> None:
    """Adds a light to a world or link."""
    element = etree.SubElement(owner, "light", name=light.name, type=light.type)
    write_pose(element, light.pose)
    put_fields(element, light, LIGHT)
    put_fields(element, light.attenuation, ATTENUATION)
    put_fields(element, light.spot, SPOT)
