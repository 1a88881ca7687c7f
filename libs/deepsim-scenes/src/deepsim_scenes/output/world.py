# SPDX-License-Identifier: Apache-2.0
"""Converts scenes to world descriptions."""

from __future__ import annotations

import warnings
from dataclasses import replace

from deepsim_math import Color, Material, Pose, Vector3
from deepsim_scenes.models import ModelList
from deepsim_scenes.scene import Scene, SceneObject
from deepsim_spawn import (
    CollisionDescription,
    GazeboXMLLoader,
    LightDescription,
    LinkDescription,
    ModelDescription,
    ModelFormatWarning,
    Plane,
    UnsupportedElementWarning,
    VisualDescription,
    WorldDescription,
)


def scene_world(scene: Scene) -> WorldDescription:
    """Returns the base world with a model for each object of a scene, named like the object.

    Raises:
        ModelFormatError: The base world cannot be read.
        ResizeError: A model cannot be scaled to its size.
        ValueError: The base world has a model with the name of an object.
    """
    base = base_world(scene.models)
    objects = tuple(replace(described(each), pose=each.pose) for each in scene.in_world)
    return replace(base, models=(*base.models, *objects))


def described(thing: SceneObject) -> ModelDescription:
    """Returns the model of an object, with the object's size and name.

    Raises:
        ResizeError: The model cannot be scaled to the size.
    """
    return replace(thing.model.resized(thing.size), name=thing.name)


def base_world(models: ModelList) -> WorldDescription:
    """Returns the world to which scenes are added: the user's, or one with only ground and sun.

    Raises:
        ModelFormatError: The user's world cannot be read.
    """
    if models.world is None:
        return EMPTY
    with warnings.catch_warnings():  # `deepsim models check` lists what is approximated
        warnings.simplefilter("ignore", UnsupportedElementWarning)
        warnings.simplefilter("ignore", ModelFormatWarning)
        return GazeboXMLLoader(models.search_path).load_world(models.world)


def _ground() -> ModelDescription:
    gray = Material(Color(0.8, 0.8, 0.8, 1.0))
    wide = Plane(size=(100.0, 100.0))
    link = LinkDescription(
        "link",
        collisions=(CollisionDescription("collision", Plane()),),
        visuals=(VisualDescription("visual", wide, material=gray, cast_shadows=False),),
    )
    return ModelDescription("ground_plane", links=(link,), static=True)


_SUN = LightDescription(
    "sun",
    "directional",
    Pose((0.0, 0.0, 10.0)),
    direction=Vector3(-0.5, 0.1, -0.9),
    cast_shadows=True,
)

EMPTY = WorldDescription(models=(_ground(),), lights=(_SUN,))
"""A world with only ground and sun."""
