# SPDX-License-Identifier: Apache-2.0
"""The interface by which behaviours add and remove their models."""

from __future__ import annotations

from abc import ABC, abstractmethod

from deepsim_math import Pose
from deepsim_sync import World


class AbstractSpawner(ABC):
    """The life-cycle of models; one spawner may serve many behaviours.

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
            world: The world, or worlds.
            name: A name that no model of the world has.
            pose: Pose of the model frame in the world frame; by default the spawner chooses.

        Raises:
            DuplicateEntityError: The name is taken.
            SpawnError: The model cannot be built; the world is as it was.
        """

    @abstractmethod
    def delete(self, world: World, name: str) -> None:
        """Removes a model of this spawner from every world.

        Raises:
            UnknownEntityError: The world has no such model.
        """
