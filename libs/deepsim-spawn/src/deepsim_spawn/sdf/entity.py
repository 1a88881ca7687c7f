# SPDX-License-Identifier: Apache-2.0
"""What an SDF document holds."""

from __future__ import annotations

from deepsim_spawn.xml import Element

from .version import sdf_version

_ENTITIES = ("world", "model", "light", "actor")


def sdf_entity(root: Element) -> Element:
    """The one world, model, light or actor of an SDF document.

    Raises:
        ModelFormatError: It is no SDF, of another version, or holds none or several.
    """
    if root.tag != "sdf":
        raise root.error(f"expected <sdf>, got <{root.tag}>")
    sdf_version(root)
    entities = root.find_all(*_ENTITIES)
    if len(entities) != 1:
        found = ", ".join(f"{entity.path} at {entity.place}" for entity in entities[:4])
        raise root.error(
            f"expected one <world>, <model> or <light>, got {len(entities)}"
            + (f": {found}" if found else "")
        )
    return entities[0]
