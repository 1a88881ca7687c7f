# SPDX-License-Identifier: Apache-2.0
"""The port: the interface of a physics engine that carries DeepSim worlds.

A backend is done when the conformance suite in `deepsim_sync.testing` passes on it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Optional, Protocol, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from .cameras import CameraMounts, Cameras, DepthCameras
from .capabilities import Contacts, Dynamics, Snapshots
from .changes import Changes, Refusal
from .entities import Entities
from .physics_properties import PhysicsProperties
from .sensors import Sensors
from .spawning import Descriptions, SpawnRequest
from .tables import ALL_COLUMNS, Key, Tables

WorldNumbers = NDArray[np.intp]
"""Some of the worlds: (w,) their numbers, ascending, each once."""
Seeds = Optional[Sequence[Union[int, None]]]
"""A seed, or None, for each of some worlds; None for no seeds."""


class Simulator(Protocol):
    """W worlds of the same entities in lock-step; time stands still except during `step`.

    `deepsim_sync.testing.TableSimulator` is the shortest complete one. Used without a `World`::

        tables = Tables(simulator.entities, simulator.worlds)
        simulator.step(10)
        simulator.read(tables, [("models", "pose")])

    Where a method takes `worlds`, None means all of them. A capability that the engine lacks is
    None, so ``simulator.cameras is None`` tests for it.

    >>> simulator = TableSimulator(timestep=0.01)
    >>> tables = Tables(simulator.entities, simulator.worlds)
    >>> simulator.step(10)
    ()
    >>> simulator.read(tables, [("models", "pose")])
    >>> simulator.time.tolist(), simulator.cameras is None
    ([0.1], True)
    """

    @property
    def worlds(self) -> int:
        """The number of worlds, W >= 1."""
        ...

    @property
    def entities(self) -> Entities:
        """The names of all entities, the same in every world.

        It is a new object with a new generation after each change.
        """
        ...

    @property
    def descriptions(self) -> Descriptions:
        """The descriptions of the present models and lights."""
        ...

    @property
    def time(self) -> NDArray[np.float64]:
        """(W,) simulated time since the last reset of each world [s].

        An array that does not change any more; while time stands, it may be the same one.
        """
        ...

    @property
    def timestep(self) -> float:
        """Duration of one physics step [s]."""
        ...

    def step(
        self, n: int = 1, worlds: WorldNumbers | None = None, changes: Changes | None = None
    ) -> Sequence[Refusal]:
        """Applies a batch as `write` does, then advances by exactly n >= 1 physics steps.

        Args:
            n: The number of steps.
            worlds: The worlds that advance.
            changes: Batch for the present generation of entities, of any worlds.

        Returns:
            The rows that were refused. If there is one, no world has advanced.

        Raises:
            SimulationError: The physics of some worlds diverged; the error has their numbers, and
                the others advanced.
        """
        ...

    def reset(self, worlds: WorldNumbers | None = None, seeds: Seeds = None) -> None:
        """Puts some worlds back to time 0: every model at its spawn pose and at rest.

        Entities and their appearance stay as they are. Physics properties and camera mounts are as
        described again. The seeds feed the engine's own random numbers, if it has any.
        """
        ...

    def read(self, tables: Tables, columns: Collection[Key] = ALL_COLUMNS) -> None:
        """Fills columns of the tables for all worlds, all at the present instant.

        Args:
            tables: Allocated for the present generation of entities, with W worlds.
            columns: The columns to fill, such as ``("models", "pose")``; a simulator may fill more
                columns of the same tables.
        """
        ...

    def write(self, changes: Changes) -> Sequence[Refusal]:
        """Applies a batch; links are written after models, twists after poses.

        A pose that is written alone leaves the twist as it was, in the world frame.

        Returns:
            The rows that were refused, empty if all were accepted. They keep their old values.
        """
        ...

    def spawn(self, requests: Sequence[SpawnRequest]) -> None:
        """Adds models to every world, all or none; everything else stays as it is.

        Raises:
            DuplicateEntityError: A name is taken, or occurs twice.
            SpawnError: A description cannot be built, or a name cannot be used. The error names
                the model, if one alone is to blame.
        """
        ...

    def delete(self, name: str) -> None:
        """Removes a model and everything below it from every world; all others stay as they are.

        Raises:
            UnknownEntityError: No model has the name.
            DeepSimError: The model is a part of another one, which can only go as a whole.
        """
        ...

    def close(self) -> None:
        """Frees the engine's resources; a second call has no effect."""
        ...

    # Capabilities

    @property
    def cameras(self) -> Cameras | None:
        """Pictures of any world."""
        ...

    @property
    def depth_cameras(self) -> DepthCameras | None:
        """Depths, models and links in the pictures of any world."""
        ...

    @property
    def camera_mounts(self) -> CameraMounts | None:
        """Poses and lenses of the camera sensors."""
        ...

    @property
    def contacts(self) -> Contacts | None:
        """The points where links touch."""
        ...

    @property
    def dynamics(self) -> Dynamics | None:
        """Jacobians of links, and the efforts that hold joints."""
        ...

    @property
    def sensors(self) -> Sensors | None:
        """Inertial units, force-torque sensors, contact sensors and lidars."""
        ...

    @property
    def physics(self) -> PhysicsProperties | None:
        """Mass, friction and damping of links."""
        ...

    @property
    def snapshots(self) -> Snapshots | None:
        """Saving and restoring an instant."""
        ...
