# SPDX-License-Identifier: Apache-2.0
"""A simulator that copies the state of another process's world and makes no steps."""

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
    """Opens a simulator of some worlds, such as ``MujocoSimulator``."""

    def __call__(self, world: WorldDescription, /, *, worlds: int) -> Simulator:
        """Returns a new simulator."""
        ...


_PLACES: tuple[Key, ...] = (("models", "pose"), ("joints", "position"))


class WorldCopy:
    """Copies the models of another process's world into an engine, at their present poses.

    Args:
        transport: The session; its namespace names the world.
        open_simulator: The engine.

    Raises:
        NoAnswerError: No server answers there.
        SpawnError: The engine cannot build a model.
    """

    def __init__(self, transport: Transport, open_simulator: OpenSimulator) -> None:
        self._transport, self._open = transport, open_simulator
        self._mirror = WorldMirror(transport)
        self._entities: Entities | None = None
        self.simulator: Simulator
        self._build()

    @property
    def time(self) -> np.ndarray:
        """(W,) simulated time of the copy [s]."""
        return self._mirror.time

    def follow(self) -> bool:
        """Moves all models to their present poses; returns whether anything changed."""
        if not self._mirror.update():
            return False
        if self._mirror.tables.entities is not self._entities:
            self.simulator.close()
            self._build()
        self._put()
        return True

    def close(self) -> None:
        """Closes the engine, and stops listening."""
        self._mirror.close()
        self.simulator.close()

    def _build(self) -> None:
        """Opens an engine with the models and lights of the other one."""
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
                known = [name for name in known if "::" not in name]  # parts go with the whole
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
