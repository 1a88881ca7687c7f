# SPDX-License-Identifier: Apache-2.0
"""Descriptions that Gazebo can spawn: anything that converts itself to SDF."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from numpy.typing import ArrayLike

from deepsim_math import Pose
from deepsim_sync import SCOPE


@runtime_checkable
class Describable(Protocol):
    """A model or light, such as `deepsim_spawn.ModelDescription`."""

    def to_sdf(self) -> str:
        """Returns the SDF text of the description."""
        ...


class PlacedDescription(Describable, Protocol):
    """A model or light with a name and a pose."""

    @property
    def name(self) -> str:
        """Name in the world."""
        ...

    @property
    def pose(self) -> Pose:
        """Pose in the world frame."""
        ...


class PhysicsDescription(Protocol):
    """The physics of a world."""

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
        """Physics settings."""
        ...

    @property
    def gravity(self) -> ArrayLike:
        """Gravity, (3,) [m/s^2], world frame."""
        ...


def sdf_of(description: object) -> str:
    """Returns the SDF text of a description; text is returned unchanged.

    Raises:
        TypeError: The description is not text and has no ``to_sdf()``.
    """
    if isinstance(description, str):
        return description
    if isinstance(description, Describable):
        return description.to_sdf()
    raise TypeError(
        f"Gazebo spawns SDF or URDF text or an object with to_sdf(), got {description!r}"
    )


def sensor_delays(name: str, description: object) -> dict[str, float]:
    """Returns the delays of a model's sensors that have one, by sensor [s].

    Args:
        name: Name of the model.
        description: A description such as `deepsim_spawn.ModelDescription`; SDF has no delays.
    """
    delays: dict[str, float] = {}
    for link in getattr(description, "links", ()):
        for sensor in link.sensors:
            if sensor.delay > 0.0:
                delays[f"{name}{SCOPE}{link.name}{SCOPE}{sensor.name}"] = sensor.delay
    for nested in getattr(description, "models", ()):
        delays.update(sensor_delays(f"{name}{SCOPE}{nested.name}", nested))
    return delays
