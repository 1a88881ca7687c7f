# SPDX-License-Identifier: Apache-2.0
"""`<world>` elements."""

from __future__ import annotations

from typing import Final

from deepsim_math import Vector3
from deepsim_spawn.description.checks import WORLD
from deepsim_spawn.description.model import ModelDescription
from deepsim_spawn.description.world import Physics, WorldDescription
from deepsim_spawn.xml.element import Element, unique_names
from deepsim_spawn.xml.values import boolean, vector, word

from .frames import Scope
from .include import models_and_includes, refuse_include_bombs, sdf_entity
from .link import read_light
from .model import read_model
from .sensor import read_plugin

HARMLESS: Final = frozenset(
    # display settings of Gazebo's window
    {"gui", "grid", "origin_visual", "visualize"}
    # settings of Gazebo's sensors and plugins
    | {"atmosphere", "laser_retro", "magnetic_field", "spherical_coordinates"}
    | {"provideFeedback", "provide_feedback"}
    # settings of the contact and joint solvers of Gazebo's engines
    | {"allow_auto_disable", "joint/physics", "max_contacts", "must_be_base_link"}
    | {"physics/bullet", "physics/dart", "physics/ode", "physics/simbody"}
    | {"physics/real_time_update_rate", "physics/@name", "physics/@type"}
)
"""Elements without effect on a description, which cause no warning.

Each is a setting of Gazebo's window, sensors or solver, or a default that is written out.
"""


def read_sdf(root: Element) -> ModelDescription | WorldDescription:
    """Returns the world or model of an SDF document."""
    entity = sdf_entity(root)
    refuse_include_bombs(entity)
    if entity.tag == "world":
        return read_world(entity)
    if entity.tag != "model":
        raise entity.error(f"a {entity.tag} cannot be loaded by itself, only included in a world")
    model = read_model(entity)
    world = Scope(WORLD)
    world.add(model.description.name, model.frame(WORLD))
    return model.resolved(world)


def read_world(element: Element) -> WorldDescription:
    """Returns a world."""
    scope = Scope(WORLD)
    models = []
    lights: list[tuple[Element, Element | None]] = []
    for entity, include in models_and_includes(element):
        if entity.tag == "light":
            lights.append((entity, include))
        else:
            models.append(read_model(entity, include))
            if models[-1].merges:
                models[-1].element.warn("a world cannot merge a model, it stays a model")
            scope.add(models[-1].description.name, models[-1].frame(WORLD))
    frames = element.find_all("frame")
    for frame in frames:
        scope.add_frame(frame)
    scope.check()
    unique_names(element.find_all("light"))
    lights += ((light, None) for light in element.find_all("light"))
    physics = _default_physics(element)
    return element.read_description(
        WorldDescription,
        name=element.attribute("name", word, "default"),
        models=tuple(model.resolved(scope) for model in models),
        lights=tuple(read_light(light, WORLD, scope, include) for light, include in lights),
        physics=Physics() if physics is None else physics.read_description(Physics),
        gravity=_read_gravity(element, physics),
        plugins=tuple(read_plugin(plugin) for plugin in element.find_all("plugin")),
    )


def _default_physics(world: Element) -> Element | None:
    """Returns the physics profile marked as default, or the first one."""
    profiles = world.find_all("physics")
    if not profiles:
        return None
    marked = (profile for profile in profiles if profile.attribute("default", boolean, False))
    chosen = next(marked, profiles[0])
    for profile in profiles:
        if profile is not chosen:
            profile.mark_read()
    return chosen


def _read_gravity(world: Element, physics: Element | None) -> Vector3:
    gravity = world.find("gravity")
    if gravity is None and physics is not None:
        gravity = physics.find("gravity")  # SDF 1.5 and older
    return Vector3(0.0, 0.0, -9.8) if gravity is None else gravity.value(vector)
