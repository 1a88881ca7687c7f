# SPDX-License-Identifier: Apache-2.0
"""`<world>` elements."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from lxml import etree

from .kept import write_plugin
from .light import write_light
from .model import write_model
from .values import put

if TYPE_CHECKING:
    from deepsim_spawn.description.world import WorldDescription


def write_world(document: etree._Element, world: WorldDescription) -> None:
    """Adds a world to a document."""
    element = etree.SubElement(document, "world", name=world.name)
    step, factor = world.physics.max_step_size, world.physics.real_time_factor
    physics = etree.SubElement(element, "physics", type="ode")
    put(physics, "max_step_size", step)
    put(physics, "real_time_factor", factor)
    put(physics, "real_time_update_rate", factor / step)  # the one that Gazebo keeps to
    mujoco = world.physics.mujoco
    for option in fields(mujoco) if mujoco != type(mujoco)() else ():
        put(physics, f"mujoco/{option.name}", getattr(mujoco, option.name))
    put(element, "gravity", world.gravity)
    for field in fields(world.scene):
        put(element, f"scene/{field.name}", getattr(world.scene, field.name))
    for light in world.lights:
        write_light(element, light)
    for model in world.models:
        write_model(element, model)
    for plugin in world.plugins:
        write_plugin(element, plugin)
