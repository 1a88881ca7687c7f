# SPDX-License-Identifier: Apache-2.0
"""What can be brought into Gazebo: anything that can say itself in SDF."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from numpy.typing import ArrayLike

from deepsim_math import Pose


@runtime_checkable
class Describable(Protocol):
    """A model or light, such as `deepsim_spawn.ModelDescription`."""

    def to_sdf(self) -> str:
        """As SDF text."""
        ...


class PlacedDescription(Describable, Protocol):
    """A model or light of a world."""

    @property
    def name(self) -> str:
        """Its name in the world."""
        ...

    @property
    def pose(self) -> Pose:
        """Its pose in the world frame."""
        ...


class PhysicsDescription(Protocol):
    """How time advances."""

    @property
    def max_step_size(self) -> float:
        """Duration of one physics step [s]."""
        ...


class DescribedWorld(Protocol):
    """A world, such as `deepsim_spawn.WorldDescription`."""

    @property
    def models(self) -> Iterable[PlacedDescription]:
        """All models."""
        ...

    @property
    def lights(self) -> Iterable[PlacedDescription]:
        """The lights that belong to no model."""
        ...

    @property
    def physics(self) -> PhysicsDescription:
        """How time advances."""
        ...

    @property
    def gravity(self) -> ArrayLike:
        """(3,) [m/s^2], world frame."""
        ...


def sdf_of(description: object) -> str:
    """SDF text of a description; text stays as it is.

    Raises:
        TypeError: It is neither text nor has ``to_sdf()``.
    """
    if isinstance(description, str):
        return description
    if isinstance(description, Describable):
        return description.to_sdf()
    raise TypeError(
        f"Gazebo spawns SDF or URDF text or an object with to_sdf(), got {description!r}"
    )
