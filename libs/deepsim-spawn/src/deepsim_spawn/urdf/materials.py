# SPDX-License-Identifier: Apache-2.0
"""`<material>` elements, which a robot may define once and name elsewhere."""

from __future__ import annotations

from typing import NamedTuple

from deepsim_math import Color, Material
from deepsim_spawn.xml import Element
from deepsim_spawn.xml.values import color


class Paint(NamedTuple):
    """A URDF material: one colour, whose alpha says how much light passes."""

    material: Material | None = None
    transparency: float = 0.0


class Materials:
    """The materials of a robot by name.

    Args:
        robot: Its own `<material>`s are known from the start.
    """

    def __init__(self, robot: Element) -> None:
        self._paints: dict[str, Paint] = {}
        for element in robot.find_all("material"):
            self.read(element)

    def read(self, element: Element) -> Paint:
        """Returns the `<material>` that an element defines, or the earlier one that it names."""
        name = element.attribute("name", str, "")
        rgba = element.find("color")
        if rgba is not None:
            r, g, b, alpha = rgba.require_attribute("rgba", color)
            opaque = Color(r, g, b, 1.0)
            paint = Paint(Material(ambient=opaque, diffuse=opaque), 1.0 - alpha)
            return self._paints.setdefault(name, paint) if name else paint
        if element.find("texture") is not None:
            element.skip("texture")
            element.warn_unsupported("textures are not supported, ignored", "/texture")
            return self._paints.setdefault(name, Paint())
        if name and name not in self._paints:
            element.warn(f"the material {name!r} is not defined, the visual stays plain")
        return self._paints.get(name, Paint())
