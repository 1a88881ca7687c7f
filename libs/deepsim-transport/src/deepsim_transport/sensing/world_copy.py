# SPDX-License-Identifier: Apache-2.0
"""Copies the state of another process's world into a local simulator."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np

from deepsim_spawn import WorldDescription
from deepsim_sync import Cells, Changes, Entities, Simulator, SpawnRequest
from deepsim_sync.port.tables import Key
from deepsim_transport.physics import RemoteSimulator, WorldMirror
from deepsim_transport.session import Transport


class OpenSimulator(Protocol):
    """A function or class that opens a simulator, such as ``MujocoSimulator``."""

    def __call__(self, world: WorldDescription, /, *, worlds: int) -> Simulator:
        """Returns a new simulator of W worlds with the same description."""
        ...


_PLACES: tuple[Key, ...] = (("models", "pose"), ("joints", "position"))


class WorldCopy:
    """A local simulator with the models of another process's world, at their current poses.

    The local simulator makes no steps.

    Args:
        transport: The session; its namespace is the name of the world.
        open_simulator: Opens the local simulator.

    Attributes:
        simulator: The local simulator; replaced when models are added or removed.

    Raises:
        NoAnswerError: No server answers for this world.
        SpawnError: The local simulator cannot build a model.
    """

    def __init__(self, transport: Transport, open_simulator: OpenSimulator) -> None:
        self._transport, self._open = transport, open_simulator
        self._mirror = WorldMirror(transport)
        self._entities: Entities | None = None
        self.simulator: Simulator
        self._build()

    @property
    def time(self) -> np.ndarray:
        """Simulated time of the copied state, (W,) [s]."""
        return self._mirror.time

    def follow(self) -> bool:
        """Moves all models to their current poses; returns whether anything changed."""
        if not self._mirror.update():
            return False
        if self._mirror.tables.entities is not self._entities:
            self.simulator.close()
            self._build()
        self._put()
        return True

    def close(self) -> None:
        """Closes the local simulator, and stops listening."""
        self._mirror.close()
        self.simulator.close()

    def _build(self) -> None:
        """Opens a local simulator with the models and lights of the other world."""
        described = RemoteSimulator(self._transport).descriptions
        tables = self._mirror.tables
        world = WorldDescription(lights=tuple(described.lights.values()))
        self.simulator = self._open(world, worlds=tables.worlds)
        names = tables.entities.models
        poses = tables.models.pose
        requests = [
            SpawnRequest(replace(model, name=name), name, poses[:, names.row(name)])
            for name, model in described.models.items()
            if name in names
        ]
        self.simulator.spawn(requests)
        self._entities = tables.entities
        self._put()

    def _put(self) -> None:
        there, here = self._mirror.tables, self.simulator.entities
        cells = {}
        for kind, column in _PLACES:
            known = [name for name in there.entities.names(kind) if name in here.names(kind)]
            if kind == "models":
                known = [name for name in known if "::" not in name]  # nested models move along
            if known:
                rows = there.entities.names(kind).rows(known)
                values = there.columns[kind, column].take(rows, axis=1)
                count = len(known)
                cells[kind, column] = Cells(
                    np.repeat(np.arange(there.worlds), count),
                    np.tile(here.names(kind).rows(known), there.worlds),
                    values.reshape(-1, *values.shape[2:]),
                )
        self.simulator.write(Changes(here.generation, cells))
