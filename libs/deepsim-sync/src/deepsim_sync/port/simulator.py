# SPDX-License-Identifier: Apache-2.0
"""The port: the interface of a physics engine that runs DeepSim worlds.

A simulator is complete when it passes the suite of deepsim-conformance.
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
"""Numbers of some worlds, (w,), in ascending order without repetition."""
Seeds = Optional[Sequence[Union[int, None]]]
"""A seed or None for each of some worlds; None for no seeds at all."""


class Simulator(Protocol):
    """W worlds of the same entities in lock-step; time stands still except during `step`.

    As an argument, ``worlds=None`` means all worlds. A capability that the engine lacks is None.
    `deepsim_sync.testing.TableSimulator` is the shortest complete implementation.

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
        """Number of worlds, W >= 1."""
        ...

    @property
    def entities(self) -> Entities:
        """Names of all entities, the same in every world; a new object after each change."""
        ...

    @property
    def descriptions(self) -> Descriptions:
        """The descriptions of the present models and lights."""
        ...

    @property
    def time(self) -> NDArray[np.float64]:
        """Simulated time since the last reset of each world, (W,) [s].

        The array never changes; it may be the same object until time advances.
        """
        ...

    @property
    def timestep(self) -> float:
        """Duration of one physics step [s]."""
        ...

    def step(
        self, n: int = 1, worlds: WorldNumbers | None = None, changes: Changes | None = None
    ) -> Sequence[Refusal]:
        """Applies changes as `write` does, then advances by exactly n >= 1 physics steps.

        Args:
            n: Number of steps.
            worlds: Worlds to advance.
            changes: Changes for the present generation of entities, in any worlds.

        Returns:
            The refused rows. If there are any, no world has advanced.

        Raises:
            SimulationError: The physics of some worlds diverged; all others advanced.
        """
        ...

    def reset(self, worlds: WorldNumbers | None = None, seeds: Seeds = None) -> None:
        """Resets some worlds to time 0, with every model at its spawn pose and at rest.

        Entities and their appearance stay; physics properties and camera mounts return to their
        descriptions. The seeds are for the engine's own random numbers, if it has any.
        """
        ...

    def read(self, tables: Tables, columns: Collection[Key] = ALL_COLUMNS) -> None:
        """Fills columns of the tables for all worlds at the present instant.

        Args:
            tables: Tables of the present generation of entities, with W worlds.
            columns: Columns to fill, such as ``("models", "pose")``; a simulator may also fill
                other columns of the tables.
        """
        ...

    def write(self, changes: Changes) -> Sequence[Refusal]:
        """Applies changes: links are written after models, twists after poses.

        Writing a pose alone does not change the twist in the world frame.

        Returns:
            The refused rows, which keep their old values.
        """
        ...

    def spawn(self, requests: Sequence[SpawnRequest]) -> None:
        """Adds models to every world, all or none; nothing else changes.

        Raises:
            DuplicateEntityError: A name is in use, or occurs twice.
            SpawnError: A description cannot be built, or a name is invalid. The error names the
                model if it is the only cause.
        """
        ...

    def delete(self, name: str) -> None:
        """Removes a model and everything nested in it from every world; nothing else changes.

        Raises:
            UnknownEntityError: No model has the name.
            DeepSimError: The model is nested in another one, which can only be removed as a whole.
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
        """Depths, models and links in pictures of any world."""
        ...

    @property
    def camera_mounts(self) -> CameraMounts | None:
        """Poses of camera sensors on their links, and their lenses."""
        ...

    @property
    def contacts(self) -> Contacts | None:
        """Points where links touch."""
        ...

    @property
    def dynamics(self) -> Dynamics | None:
        """Jacobians and bias forces."""
        ...

    @property
    def sensors(self) -> Sensors | None:
        """Inertial units, force-torque and contact sensors, lidars, joint states and cameras."""
        ...

    @property
    def physics(self) -> PhysicsProperties | None:
        """Factors of the mass, weight, friction and damping of links."""
        ...

    @property
    def snapshots(self) -> Snapshots | None:
        """Saving and restoring of the physics."""
        ...
