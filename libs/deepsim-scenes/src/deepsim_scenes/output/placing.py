# SPDX-License-Identifier: Apache-2.0
"""Spawns scenes in running worlds, and moves their objects."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from deepsim_scenes.errors import SceneError
from deepsim_scenes.scene import Scene
from deepsim_sync import SpawnRequest, World

from .world import described


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
