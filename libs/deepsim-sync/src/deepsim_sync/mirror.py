# SPDX-License-Identifier: Apache-2.0
"""The tables of a simulator as the world sees them: read when needed, written in batches."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .changes import Cells, Changes, Refusal, checked_cells, checked_rows
from .entities import KINDS, Kind
from .errors import WriteRefusedError
from .many_worlds import Chosen, SimulatorBatch
from .simulator import Simulator
from .tables import COLUMNS, Array, Tables

_STATES: tuple[Kind, Kind] = ("models", "links")
"""The tables that change by themselves when time goes on."""
_LOOKS: tuple[Kind, Kind] = ("visuals", "lights")
"""The tables that a simulator's own state leaves out."""


class Mirror:
    """A simulator's tables at the present instant, with changes that it does not have yet.

    A table is read once per instant, and only if somebody asks for it. Changes are put on top of
    what was read, and stay there until they are sent.

    Args:
        simulator: What is mirrored.
        worlds: How many worlds it has.
    """

    def __init__(self, simulator: Simulator | SimulatorBatch, worlds: int = 1) -> None:
        self._simulator = simulator
        self._worlds = worlds
        self._tables = Tables.allocate(simulator.entities, worlds)
        self._shown = self._tables.read_only()
        self._used: set[Kind] = set()
        self._fresh: set[Kind] = set()
        self._pending: dict[tuple[Kind, str], NDArray[np.bool_]] = {}
        self._lost: list[Refusal] = []

    def tables(self, kind: Kind) -> Tables:
        """The tables, protected against assignment; that of one kind is up to date."""
        self._follow_entities()
        self._used.add(kind)
        if kind not in self._fresh:
            self._read({kind})
        return self._shown

    def refresh(self) -> None:
        """Reads every table that was ever asked for and is out of date, in one batch."""
        self._follow_entities()
        self._read(self._used - self._fresh)

    def expire(self) -> None:
        """Says that time went on: poses and twists are out of date."""
        self._fresh.difference_update(_STATES)

    def void_states(self, chosen: Chosen | None = None) -> None:
        """Forgets the changes of poses and twists that were not sent, in some worlds or in all."""
        if chosen is not None:
            for (kind, _), mask in self._pending.items():
                if kind in _STATES:
                    mask[chosen] = False
            self.expire()
            return
        for key in [key for key in self._pending if key[0] in _STATES]:
            del self._pending[key]
        self._lost = [lost for lost in self._lost if lost.kind not in _STATES]
        self.expire()

    def put(
        self,
        kind: Kind,
        columns: Mapping[str, ArrayLike],
        rows: Iterable[int] | None,
        within: Chosen | None = None,
    ) -> None:
        """Puts changes on top, in some worlds or in all; see `World.put`."""
        if kind not in KINDS:
            raise ValueError(f"there is no table {kind!r}; there are {', '.join(KINDS)}")
        self.tables(kind)
        names = self._tables.entities.names(kind)
        chosen = np.arange(len(names)) if rows is None else checked_rows(names, rows)
        worlds = self._worlds if within is None else len(within)
        checked = {
            column: checked_cells(names, column, chosen, values, worlds)
            for column, values in columns.items()
        }
        if not chosen.size:
            return
        for column, values in checked.items():
            array = self._tables.column(kind, column)
            pending = self._pending.get((kind, column))
            if pending is None:
                pending = self._pending[kind, column] = np.zeros(array.shape[:2], dtype=np.bool_)
            if within is not None:
                array[within[:, None], chosen] = values
                pending[within[:, None], chosen] = True
            elif worlds == 1:  # half the time
                array[0][chosen] = values
                pending[0][chosen] = True
            else:
                array[:, chosen] = values
                pending[:, chosen] = True

    def flush(self) -> None:
        """Sends all changes in one batch; see `World.flush`."""
        self._follow_entities()
        if not self._pending and not self._lost:
            return
        cells = {}
        for key, mask in self._pending.items():
            column = self._tables.column(*key)
            changed = mask.ravel().nonzero()[0]
            worlds, rows = np.divmod(changed, mask.shape[1])
            values = column.reshape(mask.size, *column.shape[2:]).take(changed, axis=0)
            cells[key] = Cells(worlds, rows, values)
        refusals = self._lost
        if cells:
            changes = Changes(self._tables.entities.generation, cells)
            refusals = [*refusals, *self._simulator.write(changes)]
        self._pending, self._lost = {}, []
        self.expire()  # what was written moves rows that depend on it
        if refusals:
            self._fresh.clear()
            raise WriteRefusedError(refusals)

    def looks(self) -> dict[tuple[Kind, str], Array]:
        """Copies of all columns of visuals and lights, by table and column."""
        return {
            (kind, column): tables.column(kind, column).copy()
            for kind in _LOOKS
            for tables in [self.tables(kind)]
            for column in COLUMNS[kind]
        }

    def restore_looks(self, looks: Mapping[tuple[Kind, str], Array]) -> None:
        """Has visuals and lights look as they did, in one batch; what was put before is void.

        Args:
            looks: What `looks` returned, of the same entities.
        """
        self.void_states()
        for (kind, column), kept in looks.items():
            if not np.array_equal(self.tables(kind).column(kind, column), kept):
                self.put(kind, {column: kept}, None)
        self.flush()

    def _read(self, kinds: Collection[Kind]) -> None:
        if not kinds:
            return
        kept = []
        for (kind, name), mask in self._pending.items():
            if kind in kinds:
                column = self._tables.column(kind, name)
                kept.append((column, mask, column[mask]))
        self._simulator.read(self._tables, kinds)
        for column, mask, values in kept:
            column[mask] = values
        self._fresh.update(kinds)

    def _follow_entities(self) -> None:
        """Makes new tables when entities came or went; changes move along by name."""
        if self._simulator.entities.generation == self._tables.entities.generation:
            return
        old, self._tables = self._tables, Tables.allocate(self._simulator.entities, self._worlds)
        self._shown = self._tables.read_only()
        self._fresh.clear()
        pending, self._pending = self._pending, {}
        for (kind, name), mask in pending.items():
            before, now = old.entities.names(kind), self._tables.entities.names(kind)
            values = old.column(kind, name)
            self._read({kind} - self._fresh)
            for world, row in zip(*np.nonzero(mask)):
                entity = before[row]
                if entity not in now:
                    self._lost.append(Refusal(kind, name, entity, "it was deleted", int(world)))
                    continue
                self._tables.column(kind, name)[world, now.row(entity)] = values[world, row]
                self._pending.setdefault(
                    (kind, name), np.zeros((mask.shape[0], len(now)), dtype=np.bool_)
                )[world, now.row(entity)] = True
