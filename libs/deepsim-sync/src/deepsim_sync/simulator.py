# SPDX-License-Identifier: Apache-2.0
"""The port: what a physics engine must offer to carry a DeepSim world.

A backend is done when the conformance suite in `deepsim_sync.testing` passes on it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Protocol, runtime_checkable

from deepsim_math import Pose

from .changes import Changes, Refusal
from .entities import KINDS, Entities, Kind
from .tables import Tables


@runtime_checkable
class Simulator(Protocol):
    """A physics engine in lock-step: it stands still except during `step`."""

    @property
    def entities(self) -> Entities:
        """The names of all entities; a new object with a new generation after each change."""
        ...

    @property
    def time(self) -> float:
        """Simulated time [s] since the last reset."""
        ...

    @property
    def timestep(self) -> float:
        """Duration of one physics step [s]."""
        ...

    def step(self, n: int = 1) -> None:
        """Advances by exactly n >= 1 physics steps.

        Raises:
            SimulationError: The physics diverged.
        """
        ...

    def reset(self, seed: int | None = None) -> None:
        """Goes back to time 0: every model at its spawn pose and at rest.

        Entities, and how they look, stay as they are. Physics and cameras that were changed by
        `PhysicsProperties` and `CameraMounts` are as described again. The seed feeds
        the engine's own random numbers, if it has any.
        """
        ...

    def read(self, tables: Tables, kinds: Collection[Kind] = KINDS) -> None:
        """Fills the named tables, all at the present instant.

        Args:
            tables: Allocated for the present generation of entities.
            kinds: The tables to fill.
        """
        ...

    def write(self, changes: Changes) -> Sequence[Refusal]:
        """Applies a batch; links are written after models, twists after poses.

        A pose that is written alone leaves the twist as it was, in the world frame.

        Args:
            changes: Batch for the present generation of entities.

        Returns:
            The rows that were not accepted, empty if all were. They keep their old values.
        """
        ...

    def spawn(self, description: Any, name: str, pose: Pose) -> None:
        """Adds a model under a name at a pose in the world frame; all others stay as they are.

        Args:
            description: What the backend builds models from (`deepsim_spawn.ModelDescription`).
            name: A name that no model has; not empty, and without ``::``, which joins names.
            pose: Pose of the model frame.

        Raises:
            DuplicateEntityError: The name is taken.
            SpawnError: The description cannot be built, or the name cannot be used; nothing was
                added.
        """
        ...

    def delete(self, name: str) -> None:
        """Removes a model and all below it; all others stay as they are.

        Raises:
            UnknownEntityError: There is no such model.
            DeepSimError: The model is a part of another one, which can only go as a whole.
        """
        ...

    def close(self) -> None:
        """Frees what the engine holds; closing twice does no harm."""
        ...
