# SPDX-License-Identifier: Apache-2.0
"""`<material>` elements."""

from __future__ import annotations

from deepsim_math import Color, Material
from deepsim_spawn.gazebo_materials import GAZEBO_MATERIALS
from deepsim_spawn.xml import Element
from deepsim_spawn.xml.values import color

_BLACK = Color(0.0, 0.0, 0.0, 1.0)
_WHITE = Color(1.0, 1.0, 1.0, 1.0)


def read_material(element: Element) -> Material | None:
    """Returns the colours of a visual: those of the script, unless the element gives its own.

    A material that gives only one of ambient and diffuse uses it for both.

    Returns:
        None if the element gives no colour and names no script that is known.
    """
    script = element.find("script/name") or element  # URDF extensions write the name as the text
    element.skip("script")
    base = GAZEBO_MATERIALS.get(script.text)
    if base is None and script.text:
        script.warn_unsupported("material script is not known, ignored", f" {script.text}")
    given = {tag: element.find(tag) for tag in ("ambient", "diffuse", "specular", "emissive")}
    own = {tag: found.value(color) for tag, found in given.items() if found is not None}
    if base is None and not own:
        return None
    if base is None:
        plain = own.get("diffuse", own.get("ambient", _WHITE))
        base = Material(ambient=plain, diffuse=plain, specular=_BLACK, emissive=_BLACK)
    return Material(
        ambient=own.get("ambient", base.ambient),
        diffuse=own.get("diffuse", base.diffuse),
        specular=own.get("specular", base.specular),
        emissive=own.get("emissive", base.emissive),
    )
