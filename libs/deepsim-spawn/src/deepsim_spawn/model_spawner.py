# SPDX-License-Identifier: Apache-2.0
"""Spawns models of an SDF, URDF or xacro file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from numpy.typing import ArrayLike

from deepsim_sync import SpawnRequest, World

from .abstract_spawner import AbstractSpawner
from .description import ModelDescription
from .gazebo_xml_loader import GazeboXMLLoader
from .mjcf import MjcfModel


class ModelSpawner(AbstractSpawner):
    """Spawns any number of models of one description, which is loaded once.

    >>> spawner = ModelSpawner("<robot name='dot'><link name='base'/></robot>")
    >>> spawner.description.name
    'dot'

    `spawner.spawn(world, "dot_1")` then adds such a model to a world.

    Args:
        source: A description, or a file or XML string as `GazeboXMLLoader.load_model` takes it.
        arguments: Of a xacro file.
        loader: Where URIs are looked up; by default one with the usual search path.

    Attributes:
        description: The model to spawn.

    Raises:
        ModelFormatError: The source is malformed.
    """

    def __init__(
        self,
        source: str | Path | ModelDescription | MjcfModel,
        *,
        arguments: Mapping[str, str] | None = None,
        loader: GazeboXMLLoader | None = None,
    ) -> None:
        self.description: ModelDescription | MjcfModel
        if isinstance(source, (ModelDescription, MjcfModel)):
            self.description = source
        else:
            reader = loader if loader is not None else GazeboXMLLoader()
            self.description = reader.load_model(source, arguments or {})

    def spawn(self, world: World, name: str, pose: ArrayLike | None = None) -> None:
        """Adds a model to every world, by default at the pose that its description gives.

        Args:
            world: The world, or worlds.
            name: A name that no model of the world has.
            pose: Pose of the model frame in the world frame: a `Pose`, or (W, 7), one for each
                world.
        """
        world.spawn(self.description, name, pose if pose is not None else self.description.pose)

    def spawn_many(self, world: World, poses: Mapping[str, ArrayLike]) -> None:
        """Adds many models to every world, or none.

        Args:
            world: The world, or worlds.
            poses: The pose of each model, as `spawn` takes it, by the model's name.

        Raises:
            DuplicateEntityError: A name is taken; nothing was added.
            SpawnError: The model cannot be built; nothing was added.
        """
        world.spawn_many(SpawnRequest(self.description, *each) for each in poses.items())

    def delete(self, world: World, name: str) -> None:
        """Removes a model."""
        world.delete(name)
