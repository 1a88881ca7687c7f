# SPDX-License-Identifier: Apache-2.0
"""`<world>` elements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from deepsim_math import Color, Vector3
from deepsim_spawn.description import MujocoOptions, Physics, SceneDescription, WorldDescription
from deepsim_spawn.description.names import WORLD
from deepsim_spawn.xml import Element, unique_names
from deepsim_spawn.xml.values import boolean, color, number, vector, word

from .frames import Scope
from .include import models_and_includes
from .light import read_light
from .model import read_model
from .sensor import read_plugin


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
                models[-1].element.warn("only a model can merge a model, this one is kept whole")
            scope.add(models[-1].description.name, models[-1].frame(WORLD))
    frames = element.find_all("frame")
    for frame in frames:
        scope.add_frame(frame)
    scope.check()
    unique_names(element.find_all("light"))
    lights += ((light, None) for light in element.find_all("light"))
    physics = _default_physics(element)
    return element.make(
        WorldDescription,
        name=element.attribute("name", word, "default"),
        models=tuple(model.resolved(scope) for model in models),
        lights=tuple(read_light(light, WORLD, scope, include) for light, include in lights),
        physics=Physics() if physics is None else _read_physics(physics),
        gravity=_read_gravity(element, physics),
        scene=_read_scene(element),
        plugins=tuple(read_plugin(plugin) for plugin in element.find_all("plugin")),
    )


def _default_physics(world: Element) -> Element | None:
    """Returns the profile marked as default, or the first; the others are alternatives."""
    profiles = world.find_all("physics")
    if not profiles:
        return None
    marked = (profile for profile in profiles if profile.attribute("default", boolean, False))
    chosen = next(marked, profiles[0])
    for profile in profiles:
        if profile is not chosen:
            profile.mark_read()
    return chosen


def _read_physics(element: Element) -> Physics:
    return element.make(
        Physics,
        max_step_size=element.get("max_step_size", number, 0.001),
        real_time_factor=element.get("real_time_factor", number, 1.0),
        mujoco=_read_mujoco(element),
    )


def _read_mujoco(element: Element) -> MujocoOptions:
    given: dict[str, Any] = {}
    for field in fields(MujocoOptions):
        default = getattr(MujocoOptions(), field.name)
        parse: Callable[[str], Any] = word if isinstance(default, str) else number
        given[field.name] = element.get(f"mujoco/{field.name}", parse, default)
    return element.make(lambda: MujocoOptions(**given))


def _read_gravity(world: Element, physics: Element | None) -> Vector3:
    gravity = world.find("gravity")
    if gravity is None and physics is not None:
        gravity = physics.find("gravity")  # its place until SDF 1.5
    return Vector3(0.0, 0.0, -9.8) if gravity is None else gravity.value(vector)


def _read_scene(world: Element) -> SceneDescription:
    element = world.find("scene")
    if element is None:
        return SceneDescription()
    return SceneDescription(
        ambient=element.get("ambient", color, Color(0.4, 0.4, 0.4, 1.0)),
        background=element.get("background", color, Color(0.7, 0.7, 0.7, 1.0)),
        shadows=element.get("shadows", boolean, True),
    )
