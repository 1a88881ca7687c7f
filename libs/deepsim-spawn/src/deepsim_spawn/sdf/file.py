# SPDX-License-Identifier: Apache-2.0
"""SDF documents."""

from __future__ import annotations

from deepsim_spawn.description import ModelDescription, WorldDescription
from deepsim_spawn.description.names import WORLD
from deepsim_spawn.xml import Element

from .frames import Scope
from .include import refuse_include_bombs, sdf_entity
from .model import read_model
from .world import read_world


def read_sdf(root: Element) -> ModelDescription | WorldDescription:
    """Returns the world or model of an SDF document.

    Raises:
        ModelFormatError: It holds something else, or cannot be read.
    """
    entity = sdf_entity(root)
    refuse_include_bombs(entity)
    if entity.tag == "world":
        return read_world(entity)
    if entity.tag != "model":
        raise entity.error(f"a {entity.tag} can be included in a world, not loaded by itself")
    model = read_model(entity)
    world = Scope(WORLD)
    world.add(model.description.name, model.frame(WORLD))
    return model.resolved(world)
