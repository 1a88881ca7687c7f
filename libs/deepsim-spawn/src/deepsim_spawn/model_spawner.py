# SPDX-License-Identifier: Apache-2.0
"""The spawner of models from a file or description."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path

from numpy.typing import ArrayLike

from deepsim_math import Pose
from deepsim_sync import SpawnRequest, World

from .description.model import ModelDescription
from .gazebo_xml_loader import GazeboXMLLoader
from .mjcf import MjcfModel
from .xml.document import root_tag


class AbstractSpawner(ABC):
    """The base of objects that add and remove models; many behaviours may share one spawner.

    >>> class CubeSpawner(AbstractSpawner):
    ...     def spawn(self, world, name, pose=None):
    ...         cube = CollisionDescription("cube", Box((0.1, 0.1, 0.1)))
    ...         model = ModelDescription(name, links=(LinkDescription("l", collisions=(cube,)),))
    ...         world.spawn(model, name, pose)
    ...     def delete(self, world, name):
    ...         world.delete(name)
    """

    @abstractmethod
    def spawn(self, world: World, name: str, pose: Pose | None = None) -> None:
        """Adds a model to every world.

        Args:
            world: The world, which may consist of several.
            name: A name that no other model in the world has.
            pose: Pose of the model frame in the world frame; chosen by the spawner if None.

        Raises:
            DuplicateEntityError: The name is taken.
            SpawnError: The model cannot be built; the world is unchanged.
        """

    @abstractmethod
    def delete(self, world: World, name: str) -> None:
        """Removes a model that this spawner added from every world.

        Raises:
            UnknownEntityError: The world has no model of this name.
        """


class ModelSpawner(AbstractSpawner):
    """A spawner of any number of models from one description, which is loaded once.

    >>> spawner = ModelSpawner("<robot name='dot'><link name='base'/></robot>")
    >>> spawner.description.name
    'dot'

    `spawner.spawn(world, "dot_1")` adds such a model to a world.

    Args:
        source: A description, or a file or XML string: MJCF, or a source that
            `GazeboXMLLoader.load_model` accepts.
        arguments: Values of the arguments of a xacro file.
        loader: Loads everything but MJCF; by default a loader without extra folders.

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
        elif not arguments and root_tag(source) == "mujoco":
            self.description = MjcfModel(source)
        else:
            reader = loader if loader is not None else GazeboXMLLoader()
            self.description = reader.load_model(source, arguments or {})

    def spawn(self, world: World, name: str, pose: ArrayLike | None = None) -> None:
        """Adds a model to every world, by default at the pose of its description.

        Args:
            world: The world, which may consist of several.
            name: A name that no other model in the world has.
            pose: Pose of the model frame in the world frame: a `Pose`, or (W, 7), one per world.
        """
        world.spawn(self.description, name, pose if pose is not None else self.description.pose)

    def spawn_many(self, world: World, poses: Mapping[str, ArrayLike]) -> None:
        """Adds several models to every world, all or none.

        Args:
            world: The world, which may consist of several.
            poses: The pose of each model by its name; a pose is given as in `spawn`.

        Raises:
            DuplicateEntityError: A name is taken; nothing was added.
            SpawnError: The model cannot be built; nothing was added.
        """
        world.spawn_many(SpawnRequest(self.description, *each) for each in poses.items())

    def delete(self, world: World, name: str) -> None:
        """Removes a model."""
        world.delete(name)
