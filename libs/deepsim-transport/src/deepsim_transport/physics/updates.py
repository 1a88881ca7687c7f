# SPDX-License-Identifier: Apache-2.0
"""Publishes the state of a world: changed rows, and the whole state on request."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from numpy.typing import NDArray

from deepsim_sync import Simulator, Tables
from deepsim_sync.port.tables import Key
from deepsim_transport.rows import pack
from deepsim_transport.rows.batches import names_of
from deepsim_transport.session import Transport

STATE = "state"
UPDATE = "entity_state_update"
COLUMNS: tuple[Key, ...] = (
    ("models", "pose"),
    ("models", "twist"),
    ("links", "pose"),
    ("links", "twist"),
    ("joints", "position"),
    ("joints", "velocity"),
)
"""The columns that are published."""


class Updates:
    """Publishes the rows of a simulator that have changed since the latest update.

    Updates are numbered consecutively. Each has the generation of the entities, an identifier of
    the server's run, and whether the physics is paused. Only the whole state has the names of
    entities.

    Attributes:
        paused: Whether the physics is paused; set by the server.
    """

    def __init__(self, simulator: Simulator, transport: Transport) -> None:
        self._simulator = simulator
        self._participant = transport.declare("publisher", UPDATE)
        self._publisher = self._participant.declared
        self.paused = False
        self._run, self._number = uuid4().hex, 0
        self._told_paused = False
        self._shown: Tables | None = None
        self._time = simulator.time

    def publish(self) -> None:
        """Publishes the changes if there is a subscriber."""
        if not self._publisher.matching_status.matching:
            self._shown = None
            return
        now = self._read()
        before, self._shown = self._shown, now
        generation = now.entities.generation
        if before is None or before.entities.generation != generation:
            self._number += 2  # a gap in the numbers makes subscribers request the whole state
            self._send(generation, {})
            return
        arrays: dict[str, NDArray[Any]] = {}
        for key in COLUMNS:
            old, new = before.columns[key], now.columns[key]
            differs = old != new
            if differs.ndim > 2:
                differs = differs.any(axis=2)
            if differs.any():
                name = ".".join(key)
                arrays[f"{name}/worlds"], arrays[f"{name}/rows"] = differs.nonzero()
                arrays[name] = new[differs]
        passed = (self._simulator.time != self._time).any()  # time passes even if all bodies rest
        if arrays or passed or self.paused != self._told_paused:
            self._number += 1
            self._send(generation, arrays)

    def whole(self) -> bytes:
        """Returns the whole current state, with the number of the latest update.

        The state includes the effects of all commands that came before the request.
        """
        self.publish()
        now = self._shown if self._is_shown() else self._read()
        assert now is not None
        arrays = {".".join(key): now.columns[key] for key in COLUMNS}
        header = {
            **self._header(now.entities.generation),
            "names": names_of(now.entities),
            "worlds": self._simulator.worlds,
        }
        return pack(header, {**arrays, "time": self._simulator.time})

    def _is_shown(self) -> bool:
        """Whether subscribers already have a state of the current entities."""
        shown, entities = self._shown, self._simulator.entities
        return shown is not None and shown.entities.generation == entities.generation

    def _read(self) -> Tables:
        tables = Tables(self._simulator.entities, self._simulator.worlds)
        self._simulator.read(tables, COLUMNS)
        return tables

    def _send(self, generation: int, arrays: dict[str, NDArray[Any]]) -> None:
        self._time, self._told_paused = self._simulator.time, self.paused
        self._publisher.put(pack(self._header(generation), {**arrays, "time": self._time}))

    def _header(self, generation: int) -> dict[str, Any]:
        return {
            "run": self._run,
            "number": self._number,
            "generation": generation,
            "paused": self.paused,
        }
