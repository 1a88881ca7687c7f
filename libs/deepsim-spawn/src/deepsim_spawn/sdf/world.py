# SPDX-License-Identifier: Apache-2.0
"""`<world>` elements."""

from __future__ import annotations

from deepsim_math import Color, Vector3

from deepsim_spawn.description import LightDescription, Physics, Scene, WorldDescription
from deepsim_spawn.xml import Element
from deepsim_spawn.xml.values import boolean, color, number, vector, word

from .frames import Frame, Scope
from .light import read_light
from .model import read_models
from .pose import read_pose
from .sensor import read_plugin

ROOT = "world"


def read_world(element: Element) -> WorldDescription:
    """A world."""
    scope = Scope(ROOT)
    models = read_models(element)
    for model in models:
        scope.add(model.description.name, model.frame(ROOT))
    frames = element.find_all("frame")
    for frame in frames:
        pose, relative_to = read_pose(frame)
        attached_to = frame.attribute("attached_to", str, "") or ROOT
        name = frame.require_attribute("name", word)
        scope.add(name, Frame(frame, pose, relative_to or attached_to, attached_to))
    for frame in frames:
        scope.pose(frame.attributes["name"], frame)
    physics = _chosen_physics(element)
    old_gravity = Vector3(0.0, 0.0, -9.8)
    if physics is not None:  # where it was until SDF 1.5
        old_gravity = physics.get("gravity", vector, old_gravity)
    return element.make(
        WorldDescription,
        name=element.attribute("name", word, "default"),
        models=tuple(model.resolved(scope) for model in models),
        lights=tuple(_read_lights(element, scope)),
        physics=Physics() if physics is None else _read_physics(physics),
        gravity=element.get("gravity", vector, old_gravity),
        scene=_read_scene(element),
        plugins=tuple(read_plugin(plugin) for plugin in element.find_all("plugin")),
    )
