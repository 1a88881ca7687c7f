# SPDX-License-Identifier: Apache-2.0
"""`<light>` elements."""

from __future__ import annotations

from typing import cast, get_args

from deepsim_spawn.description.light import Attenuation, LightDescription, LightType, SpotCone
from deepsim_spawn.description.tags import ATTENUATION, LIGHT, SPOT
from deepsim_spawn.xml import Element, read_fields
from deepsim_spawn.xml.values import word

from .frames import Scope, read_pose

_TYPES = get_args(LightType)


def read_light(
    element: Element, base: str, scope: Scope, include: Element | None = None
) -> LightDescription:
    """Returns a light posed in the frame `base`; an `<include>` may rename and move it."""
    name = element.require_attribute("name", word)
    kind = element.require_attribute("type", word)
    if kind not in _TYPES:
        raise element.error(f"type must be one of {', '.join(_TYPES)}, got {kind!r}")
    placed = element
    if include is not None:
        name = include.get("name", word, name)
        if include.find("pose"):
            placed = include
            element.skip("pose")  # replaced by the include's
    pose, relative_to = read_pose(placed)
    return element.make(
        LightDescription,
        name=name,
        type=cast(LightType, kind),
        pose=scope.relative_pose(pose, relative_to, base, placed),
        attenuation=element.make(Attenuation, **read_fields(element, Attenuation, ATTENUATION)),
        spot=element.make(SpotCone, **read_fields(element, SpotCone, SPOT)),
        **read_fields(element, LightDescription, LIGHT),
    )
