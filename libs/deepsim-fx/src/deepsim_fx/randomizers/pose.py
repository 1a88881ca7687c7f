# SPDX-License-Identifier: Apache-2.0
"""Randomized poses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.random import Generator

from deepsim_fx.targets import named
from deepsim_math import Euler, Pose
from deepsim_sync import Transform, World, WorldNumbers

from .distributions import Spec, distribution
from .randomizer import AbstractRandomizer

_ORIGIN = (0.0, 0.0, 0.0)


class PoseRandomizer(AbstractRandomizer):
    """Randomizer that puts a model at a random pose, without changing its velocity.

    >>> world = World(TableSimulator(timestep=0.25), seed=1)
    >>> world.spawn(TableModel(lights=("lamp",)), "ball", Pose())
    >>> _ = PoseRandomizer("ball", position=[0, 0, ("uniform", 2, 2)], world=world).randomize()
    >>> world.models.pose[0, 0, :3]
    array([0., 0., 2.])

    Args:
        model: The model, by name or transform.
        position: Distribution of x, y and z [m], such as ``[("uniform", -1, 1), 0, 0.5]``.
        rotation: Distribution of roll, pitch and yaw [rad].
        origin: The world pose to which position and rotation are relative; by default the origin.
        name: Name of the randomizer in the log; by default derived from the model.
        world: The world of the model; by default the world of a transform, or the current one.

    Raises:
        ValueError: A distribution is invalid.
    """

    def __init__(
        self,
        model: str | Transform,
        *,
        position: Spec = _ORIGIN,
        rotation: Spec = _ORIGIN,
        origin: Pose | None = None,
        name: str | None = None,
        world: World | None = None,
    ) -> None:
        (self.model,), world = named(model, world)
        super().__init__(name or f"pose of {self.model}", world)
        self.position = distribution(position, (3,))
        self.rotation = distribution(rotation, (3,))
        self.origin = origin if origin is not None else Pose()

    def draw(self, rng: Generator, world: int) -> dict[str, list[float]]:
        """Draws a pose.

        Returns:
            ``pose``: x y z [m], qx qy qz qw, in the world.
        """
        position = self.position(rng, (3,))
        pose = self.origin @ Pose(position, Euler(*self.rotation(rng, (3,))))
        return {"pose": [float(number) for number in pose]}

    def apply(self, values: Sequence[Mapping[str, Any]], worlds: WorldNumbers) -> None:
        """Moves the model."""
        row = self.world.entities.models.row(self.model)
        self.world.put("models", {"pose": [[each["pose"]] for each in values]}, [row], worlds)
