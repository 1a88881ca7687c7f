# SPDX-License-Identifier: Apache-2.0
"""The tables of a simulator at the present instant, overlaid with unsent changes."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from threading import get_ident
from typing import Any, Callable, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_sync.errors import (
    ClosedWorldError,
    SimulationError,
    WriteRefusedError,
    WrongThreadError,
)
from deepsim_sync.port.changes import Cells, Changes, Refusal
from deepsim_sync.port.column_type import Array
from deepsim_sync.port.entities import KINDS, SCOPE, Entities, Kind, Names
from deepsim_sync.port.simulator import Simulator, WorldNumbers
from deepsim_sync.port.tables import (
    APPEARANCE_COLUMNS,
    RESET_COLUMNS,
    STATE_COLUMNS,
    Key,
    Tables,
    column_of,
)

from .seeds import checked_worlds


class Ownership:
    """Ownership of a world by one thread: refuses calls from others, and all calls after `close`.

    Attributes:
        thread: Identifier of the owning thread.
        posted: Functions for the next tick to call, oldest first.
    """

    def __init__(self) -> None:
        self.posted: deque[Callable[[], object]] = deque()  # appending is safe from any thread
        self._closed = False
        self.claim()

    def claim(self) -> None:
        """Transfers the world to the calling thread."""
        if self._closed:
            raise ClosedWorldError
        self.thread = get_ident()
        self._name = threading.current_thread().name

    def require(self) -> None:
        """Raises an error if the calling thread is not the owner."""
        if get_ident() != self.thread:
            self.refuse()

    def refuse(self) -> NoReturn:
        """Raises the error that explains why the caller may not use the world."""
        if self._closed:
            raise ClosedWorldError
        raise WrongThreadError(self._name, threading.current_thread().name)

    def close(self) -> None:
        """Refuses all later calls."""
        self._closed = True
        self.thread = -1  # no thread has this number


EVERY = slice(None)
"""All rows of a table. Handles on whole tables pass this object; it is recognised by identity."""
_CHANGING = frozenset(STATE_COLUMNS)


class StateCache:
    """Cache of a simulator's tables, which also holds the changes that have not been sent yet.

    It reads columns on demand, at most once per instant, and writes changed cells in batches.

    Attributes:
        entities: Names of all rows, as of the last access.
        worlds: Number of worlds.
    """

    def __init__(self, simulator: Simulator, owner: Ownership) -> None:
        self._simulator = simulator
        self._owner = owner
        self.worlds = simulator.worlds
        # In the order of first use.
        self._used_changing: dict[Key, None] = {}
        self._used_lasting: dict[Key, None] = {}
        self._used_with: dict[Key, tuple[Key, ...]] = {}  # changing columns of the same table
        self._pending: dict[Key, NDArray[np.bool_]] = {}
        self._lost: list[Refusal] = []
        self._allocate()

    def follow_entities(self) -> Entities:
        """Returns the names of all rows, after making new tables if the entities changed."""
        if get_ident() != self._owner.thread:
            self._owner.refuse()
        if self._simulator.entities is not self.entities:
            self._move_along()
        return self.entities

    def column(self, key: Key) -> Array:
        """Returns the up-to-date memory of a column, (W, N, ...); it must not be written to."""
        if get_ident() != self._owner.thread or self._simulator.entities is not self.entities:
            self.follow_entities()
        if key not in self._present and key not in self._lasting:
            others = self._used_with.get(key)
            if others is None or not self._present.isdisjoint(others):
                self._use((key,))
            else:  # in one batch, because the next tick needs them anyway
                self._read(others)
        return self._arrays[key]

    def fetch(self, keys: Collection[Key]) -> None:
        """Reads the given columns that are out of date, in one batch."""
        self.follow_entities()
        stale = [key for key in keys if key not in self._present and key not in self._lasting]
        if stale:
            self._use(stale)

    def refresh(self) -> None:
        """Reads all columns in use that are out of date, in one batch."""
        if self._simulator.entities is not self.entities:
            self.follow_entities()
        changing, lasting = self._used_changing, self._used_lasting
        if not self._present and len(self._lasting) == len(lasting):  # in most ticks
            if changing:
                self._read(changing)
            return
        if len(self._present) == len(changing) and len(self._lasting) == len(lasting):
            return
        stale = [key for key in changing if key not in self._present]
        stale += [key for key in lasting if key not in self._lasting]
        if stale:
            self._read(stale)

    def _use(self, keys: Collection[Key]) -> None:
        """Reads columns that are out of date, and from now on refreshes them in each tick."""
        for key in keys:
            if key not in _CHANGING:
                self._used_lasting[key] = None
            elif key not in self._used_changing:
                self._used_changing[key] = None
                together = tuple(each for each in self._used_changing if each[0] == key[0])
                self._used_with.update(dict.fromkeys(together, together))
        self._read(keys)

    def expire(self) -> None:
        """Marks columns that change in time as out of date."""
        self._present.clear()

    def forget(self, *, appearance: bool = False) -> None:
        """Marks all columns that a reset restores as out of date, and those of appearance if asked.

        Needed after the simulator was changed past the cache.
        """
        self._present.clear()
        self._lasting.difference_update(RESET_COLUMNS)
        if appearance:
            self._lasting.clear()

    def void(self, worlds: WorldNumbers | None = None) -> None:
        """Drops unsent changes that a reset of some worlds makes void."""
        self._owner.require()
        chosen = np.arange(self.worlds) if worlds is None else worlds
        for key in RESET_COLUMNS:
            if key in self._pending:
                pending = self._pending[key].copy()  # the mask of a whole table is shared
                pending[chosen] = False
                self._pending[key] = pending
        dropped = set(chosen.tolist())
        self._lost = [
            lost
            for lost in self._lost
            if (lost.kind, lost.column) not in RESET_COLUMNS or lost.world not in dropped
        ]
        self.forget()

    def put(
        self,
        key: Key,
        rows: slice | NDArray[np.intp],
        values: ArrayLike,
        worlds: WorldNumbers | None = None,
    ) -> None:
        """Changes rows of a column; the caller must have called `follow_entities`.

        Args:
            key: The column.
            rows: The k rows, of the present generation.
            values: Checked cells, of a shape that broadcasts to (w, k, ...).
            worlds: Numbers of the w worlds; all by default.
        """
        if key[0] == "models" and self._pending:
            self._overrule(key[1], rows, worlds)
        array = self._arrays[key]
        if rows is EVERY and worlds is None:
            array[...] = values
            self._pending[key] = self._whole[key[0]]
            return
        pending = self._pending.get(key)
        if pending is None:
            pending = self._pending[key] = np.zeros(array.shape[:2], dtype=np.bool_)
        elif pending is self._whole[key[0]]:
            pending = self._pending[key] = pending.copy()
        if worlds is None:
            array[:, rows] = values
            pending[:, rows] = True
        else:
            where = (worlds, rows) if isinstance(rows, slice) else (worlds[:, None], rows)
            array[where] = values
            pending[where] = True

    def put_checked(
        self,
        names: Names,
        own: NDArray[np.intp],
        rows: slice | NDArray[np.intp],
        columns: Mapping[str, ArrayLike],
        worlds: WorldNumbers | None = None,
    ) -> None:
        """Validates all values, then changes rows of some columns; see `Rows.put`.

        Args:
            names: Names for error messages; row i of the k rows has the name ``names[own[i]]``.
            own: Indices into `names`, (k,).
            rows: The k rows of the table.
            columns: Values by column, of a shape that broadcasts to (w, k, ...).
            worlds: Numbers of the w worlds; all by default.
        """
        if worlds is not None:
            worlds = checked_worlds(worlds, self.worlds)
        count = self.worlds if worlds is None else len(worlds)
        checked = {
            (names.kind, column): column_of(names.kind, column).checked(names, own, values, count)
            for column, values in columns.items()
        }
        for key, values in checked.items():
            self.put(key, rows, values, worlds)

    def flush(self) -> None:
        """Sends all changes in one batch; see `World.flush`."""
        if get_ident() != self._owner.thread:
            self._owner.refuse()
        if self._pending or self._lost:
            changes = self._changes()
            self._sent(() if changes is None else self._simulator.write(changes))

    def step(self, n: int, worlds: WorldNumbers | None) -> None:
        """Sends all changes and, unless some are refused, advances some worlds, in one call."""
        if self._lost:
            self.flush()
        changes = self._changes() if self._pending else None
        self._present.clear()  # even if it fails halfway
        try:
            refusals = self._simulator.step(n, worlds, changes)
        except SimulationError:
            self._sent(())
            raise
        self._sent(refusals)

    def _changes(self) -> Changes | None:
        """Returns all changes as one batch, or None if nothing changed."""
        if get_ident() != self._owner.thread or self._simulator.entities is not self.entities:
            self.follow_entities()
        cells = {}
        for key, mask in self._pending.items():
            changed = self._cells(key, mask)
            if len(changed.rows):
                cells[key] = changed
        return Changes(self.entities.generation, cells) if cells else None

    def _sent(self, refusals: Sequence[Refusal]) -> None:
        """Processes the simulator's answer to a batch; afterwards no change is pending."""
        if self._lost:
            refusals = [*self._lost, *refusals]
        if not _CHANGING.isdisjoint(self._pending):
            self._present.clear()  # rows that depend on those written follow them
        self._pending, self._lost = {}, []
        if refusals:
            self._lasting.clear()
            raise WriteRefusedError(refusals)

    def _cells(self, key: Key, mask: NDArray[np.bool_]) -> Cells:
        """Returns the changed cells of a column.

        If they are the same as last time, so are the arrays of worlds and rows: simulators
        recognise the cells that a task changes in every tick by these arrays.
        """
        changed = mask.tobytes()
        last, worlds, rows, places, flat = self._last.get(key, (None,) * 5)
        if changed != last:
            worlds, rows = mask.nonzero()
            worlds.flags.writeable = rows.flags.writeable = False
            places = worlds * mask.shape[1] + rows
            array = self._arrays[key]
            flat = array.reshape(-1, *array.shape[2:])
            self._last[key] = changed, worlds, rows, places, flat
        return Cells(worlds, rows, flat.take(places, axis=0))

    def appearance(self) -> dict[Key, Array]:
        """Returns copies of all columns of visuals and lights."""
        self.fetch(APPEARANCE_COLUMNS)
        return {key: self.column(key).copy() for key in APPEARANCE_COLUMNS}

    def restore_appearance(self, kept: Mapping[Key, Array]) -> None:
        """Restores columns of visuals and lights in one batch; unsent changes are dropped."""
        self._pending, self._lost = {}, []
        self._present.clear()
        self._lasting.clear()
        self.fetch(kept)
        for key, values in kept.items():
            if not np.array_equal(self.column(key), values):
                self.put(key, slice(None), values)
        self.flush()

    def _allocate(self) -> None:
        """Makes tables for the present generation; all columns are out of date."""
        self.entities = self._simulator.entities
        self._tables = Tables(self.entities, self.worlds)
        self._arrays = self._tables.columns
        # The columns that are up to date: those that change in time, and the others.
        self._present: set[Key] = set()
        self._lasting: set[Key] = set()
        self._last: dict[Key, tuple[Any, ...]] = {}  # what `_cells` found last
        self._whole: dict[Kind, NDArray[np.bool_]] = {}  # masks of whole tables, read-only
        for kind in KINDS:
            self._whole[kind] = np.ones((self.worlds, len(self.entities.names(kind))), np.bool_)
            self._whole[kind].flags.writeable = False
        self._nested = any(SCOPE in name for name in self.entities.models)

    def _read(self, keys: Collection[Key]) -> None:
        if not self._pending:
            self._simulator.read(self._tables, keys)
        else:  # a simulator may fill more than it was asked for
            kept = [(self._arrays[key].copy(), key, mask) for key, mask in self._pending.items()]
            self._simulator.read(self._tables, keys)
            for values, key, mask in kept:
                where = mask if values.ndim == 2 else mask[(..., *[None] * (values.ndim - 2))]
                np.copyto(self._arrays[key], values, where=where)
        for key in keys:
            (self._present if key in _CHANGING else self._lasting).add(key)

    def _overrule(
        self, column: str, rows: slice | NDArray[np.intp], worlds: WorldNumbers | None
    ) -> None:
        """Drops earlier changes of rows inside the models that are changed now."""
        kinds: list[Kind] = ["models", "links"] if self._nested else ["links"]
        models = self.entities.models
        for kind in kinds:
            pending = self._pending.get((kind, column))
            if pending is None:
                continue
            pending = self._pending[kind, column] = pending.copy()
            names = self.entities.names(kind)
            for row in np.arange(len(models))[rows].tolist():
                within = names.rows(names.within(models[row]))
                pending[np.ix_(np.arange(len(pending)) if worlds is None else worlds, within)] = 0
            self._present.discard((kind, column))

    def _move_along(self) -> None:
        """Makes tables for the new entities, and carries unsent changes over by name."""
        old, before = self.entities, self._arrays
        pending, self._pending = self._pending, {}
        self._allocate()
        for key, mask in pending.items():
            then, now = old.names(key[0]), self.entities.names(key[0])
            moved = np.zeros((self.worlds, len(now)), dtype=np.bool_)
            for row in np.flatnonzero(mask.any(axis=0)).tolist():
                name, changed = then[row], mask[:, row]
                if name in now:
                    moved[:, now.row(name)] = changed
                    self._arrays[key][changed, now.row(name)] = before[key][changed, row]
                else:
                    self._lost += [
                        Refusal(*key, name, "it was deleted", world)
                        for world in np.flatnonzero(changed).tolist()
                    ]
            self._pending[key] = moved
