# SPDX-License-Identifier: Apache-2.0
"""`<world>` elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from deepsim_spawn.description.tags import MUJOCO, PHYSICS, SCENE

from .document import put, put_fields
from .link import write_light
from .model import write_model
from .sensor import write_plugin

if TYPE_CHECKING:
    from deepsim_spawn.description.world import WorldDescription


def write_world(document: etree._Element, world: WorldDescription) -> None:
    """Adds a world to a document."""
    element = etree.SubElement(document, "world", name=world.name)
    physics = etree.SubElement(element, "physics", type="ode")
    put_fields(physics, world.physics, PHYSICS)
    rate = world.physics.real_time_factor / world.physics.max_step_size
    put(physics, "real_time_update_rate", rate)  # the setting that Gazebo obeys
    mujoco = world.physics.mujoco
    if mujoco != type(mujoco)():
        put_fields(physics, mujoco, MUJOCO)
    put(element, "gravity", world.gravity)
    put_fields(element, world.scene, SCENE)
    for light in world.lights:
        write_light(element, light)
    for model in world.models:
        write_model(element, model)
    for plugin in world.plugins:
        write_plugin(element, plugin)
