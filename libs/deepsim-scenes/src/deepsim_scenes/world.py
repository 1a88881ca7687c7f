# SPDX-License-Identifier: Apache-2.0
"""Scenes as worlds: described, spawned into running worlds, and placed there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Color, Material, Pose, Vector3
from deepsim_spawn import (
    CollisionDescription,
    GazeboXMLLoader,
    LightDescription,
    LinkDescription,
    ModelDescription,
    Plane,
    VisualDescription,
    WorldDescription,
)
from deepsim_sync import SpawnRequest, World

from .errors import SceneError
from .models.model_list import ModelList, approximating_silently
from .scene import Scene, SceneObject


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
    with approximating_silently():
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


def spawn_scenes(world: World, scenes: Scene | Sequence[Scene]) -> None:
    """Spawns a scene into a world, or one into each of W worlds.

    All W worlds have the same models, so all scenes must have the same objects in the same sizes;
    the poses may differ.

    Args:
        world: The W worlds.
        scenes: One scene for each world, or one for all.

    Raises:
        DuplicateEntityError: The world has a model with the name of an object; nothing was added.
        SceneError: The scenes differ in objects or sizes, or their number is not W; nothing was
            added.
        SpawnError: The engine cannot build a model; nothing was added.
    """
    drawn = _each(scenes, len(world))
    poses = _poses(drawn)
    world.spawn_many(
        SpawnRequest(described(each), each.name, poses[:, number])
        for number, each in enumerate(drawn[0].in_world)
    )


def place_scenes(
    world: World, scenes: Scene | Sequence[Scene], worlds: NDArray[np.intp] | None = None
) -> None:
    """Moves the objects of spawned scenes to their places in other scenes, at rest.

    This only writes poses, so it is fast enough to give each episode a different scene.

    Args:
        world: The W worlds, with objects that `spawn_scenes` added.
        scenes: One scene for each of the chosen worlds, or one for all.
        worlds: Numbers of the chosen worlds, (w,); all worlds by default.

    Raises:
        SceneError: The scenes differ in objects or sizes, or their number is wrong.
        UnknownEntityError: The world does not have one of the objects.
    """
    drawn = _each(scenes, len(world) if worlds is None else len(worlds))
    names = [each.name for each in drawn[0].in_world]
    if names:
        rows = world.models.select(names)
        rows.put(worlds, pose=_poses(drawn), twist=np.zeros((len(drawn), len(names), 6)))


def _each(scenes: Scene | Sequence[Scene], count: int) -> list[Scene]:
    """Returns one scene for each world; checks that all have the same objects and sizes."""
    drawn = [scenes] * count if isinstance(scenes, Scene) else [*scenes]
    if len(drawn) != count or not drawn:
        raise SceneError(f"{count} worlds need as many scenes, got {len(drawn)}")
    first = drawn[0].in_world
    for number, scene in enumerate(drawn):
        names = [each.name for each in scene.in_world]
        if names != [each.name for each in first]:
            raise SceneError(f"scene {number} has other objects than the first: {', '.join(names)}")
        for own, other in zip(first, scene.in_world, strict=True):
            if tuple(own.size) != tuple(other.size):
                raise SceneError(
                    f"{own.name!r} has the size {tuple(other.size)} in scene {number} and "
                    f"{tuple(own.size)} in the first: the worlds of one simulator have the same "
                    "models, so give it one size in the scenario, or dynamic_size: false"
                )
    return drawn


def _poses(scenes: Sequence[Scene]) -> NDArray[np.float64]:
    """Returns the poses of the k objects in each of W scenes, (W, k, 7)."""
    count = len(scenes[0].in_world)
    rows = [[np.asarray(each.pose) for each in scene.in_world] for scene in scenes]
    return np.array(rows, dtype=np.float64).reshape(len(scenes), count, 7)
