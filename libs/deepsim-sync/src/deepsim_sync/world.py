# SPDX-License-Identifier: Apache-2.0
"""A world: one simulator, its tables, and all that runs in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import TracebackType
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import Pose

from .behaviour_manager import BehaviourManager
from .changes import Cells, Changes, Refusal, checked_cells
from .current import PerWorld, current_world, entered
from .entities import KINDS, Entities, Kind, Names
from .errors import WriteRefusedError
from .simulator import Simulator
from .tables import LightTable, StateTable, Tables, VisualTable
from .trackers import (
    GetLinkStateTracker,
    GetModelStateTracker,
    GetVisualTracker,
    Priority,
    SetLinkStateTracker,
    SetModelStateTracker,
    SetVisualTracker,
    TrackerManager,
)
from .trackers.getters import Getter
from .trackers.setters import Setter

T = TypeVar("T", bound=PerWorld)

_GETTERS: tuple[type[Getter], ...] = (
    GetModelStateTracker,
    GetLinkStateTracker,
    GetVisualTracker,
)
_SETTERS: tuple[type[Setter], ...] = (
    SetModelStateTracker,
    SetLinkStateTracker,
    SetVisualTracker,
)


class World:
    """Owns the tables, the managers and the random numbers of one simulation.

    A tick reads the tables in one batch, runs behaviours and trackers, writes all changed rows in
    one batch, and then advances the simulator by a fixed number of physics steps.

    A changed row reads back at once. Rows that depend on it (a model's links, nested models)
    follow when the batch is sent: at the end of the tick, or by `flush`.

    Args:
        simulator: The physics; the world owns it from now on.
        seed: Of the random generator.
        steps_per_tick: Physics steps of one tick.

    Attributes:
        simulator: The physics.
        rng: The source of all randomness in this world.
        steps_per_tick: Physics steps of one tick.
        ticks: Ticks since the last reset.
    """

    def __init__(self, simulator: Simulator, *, seed: int = 0, steps_per_tick: int = 1) -> None:
        if steps_per_tick < 1:
            raise ValueError(f"steps_per_tick must be >= 1, got {steps_per_tick}")
        self.simulator = simulator
        self.steps_per_tick = steps_per_tick
        self.rng = np.random.default_rng(seed)
        self.ticks = 0
        self._last_tick: float | None = None
        self._tables = Tables.allocate(simulator.entities)
        self._shown = self._tables.read_only()
        self._used: set[Kind] = set()
        self._fresh: set[Kind] = set()
        self._pending: dict[tuple[Kind, str], NDArray[np.bool_]] = {}
        self._lost: list[Refusal] = []
        self._singles: dict[type[PerWorld], PerWorld] = {}
        for getter in _GETTERS:
            self.trackers.add(self.get(getter), Priority.HIGH)
        self.trackers.add(self.behaviours, Priority.NORMAL)
        for setter in _SETTERS:
            self.trackers.add(self.get(setter), Priority.LOW)

    # The rows

    @property
    def entities(self) -> Entities:
        """The names of all models, links, visuals and lights."""
        return self.simulator.entities

    @property
    def models(self) -> StateTable:
        """Poses and twists of models at the present instant, with what was put; read-only."""
        return self._fresh_tables("models").models

    @property
    def links(self) -> StateTable:
        """Poses and twists of links at the present instant, with what was put; read-only."""
        return self._fresh_tables("links").links

    @property
    def visuals(self) -> VisualTable:
        """How visuals look, with what was put; read-only."""
        return self._fresh_tables("visuals").visuals

    @property
    def lights(self) -> LightTable:
        """Colours and attenuation of lights, with what was put; read-only."""
        return self._fresh_tables("lights").lights

    def put(
        self,
        kind: Kind,
        columns: Mapping[str, ArrayLike],
        rows: Iterable[int] | None = None,
    ) -> None:
        """Changes rows of a table: seen at once, sent with the next flush.

        Args:
            kind: The table.
            columns: New values by column: whole cells, of a shape that broadcasts to (W, k, ...).
            rows: The k rows; all of them by default.

        Raises:
            ValueError: There is no such table or column, or a value is not fit for its column;
                nothing was changed.
        """
        if kind not in KINDS:
            raise ValueError(f"there is no table {kind!r}; there are {', '.join(KINDS)}")
        self._fresh_tables(kind)
        names = self._tables.entities.names(kind)
        chosen = np.arange(len(names)) if rows is None else np.fromiter(rows, dtype=np.intp)
        worlds = len(self._tables.models.pose)
        checked = {
            column: checked_cells(names, column, chosen, values, worlds)
            for column, values in columns.items()
        }
        if not chosen.size:
            return
        for column, values in checked.items():
            array = self._tables.column(kind, column)
            array[:, chosen] = values
            pending = self._pending.get((kind, column))
            if pending is None:
                pending = self._pending[kind, column] = np.zeros(array.shape[:2], dtype=np.bool_)
            pending[:, chosen] = True

    def refresh(self) -> None:
        """Reads every table in use that is out of date, in one batch."""
        self._follow_entities()
        self._read(self._used - self._fresh)

    def flush(self) -> None:
        """Sends everything that was put since the last flush, in one batch.

        Raises:
            WriteRefusedError: The simulator refused rows; all others were applied.
        """
        self._follow_entities()
        lost, self._lost = self._lost, []
        if not self._pending and not lost:
            return
        pending, self._pending = self._pending, {}
        # What was written moves rows that depend on it: read again before the next use.
        self._fresh -= {"models", "links"}
        cells = {}
        for key, mask in pending.items():
            worlds, rows = np.nonzero(mask)
            cells[key] = Cells(worlds, rows, self._tables.column(*key)[worlds, rows])
        refusals = [*lost]
        if cells:
            refusals += self.simulator.write(Changes(self._tables.entities.generation, cells))
        if refusals:
            self._fresh.clear()
            raise WriteRefusedError(refusals)

    # Time

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.simulator.time

    @property
    def timestep(self) -> float:
        """Duration of one physics step [s]."""
        return self.simulator.timestep

    def tick(self) -> None:
        """One tick: getters, behaviours and users' trackers, setters, then the physics.

        Within it this world is the current one.

        Raises:
            CallbackError: A behaviour or tracker raised; the physics did not advance.
            WriteRefusedError: The simulator refused rows; the physics did not advance.
            SimulationError: The physics diverged.
        """
        now = self.time
        delta = 0.0 if self._last_tick is None else now - self._last_tick
        with self:
            self.trackers.update(delta, now)
        self._last_tick = now
        self._fresh -= {"models", "links"}
        self.simulator.step(self.steps_per_tick)
        self.ticks += 1

    def reset(self, seed: int | None = None) -> None:
        """Back to time 0: every model at its spawn pose and at rest.

        Then all managers and trackers of this world are reset, and the behaviours last. Changes of
        pose and twist that are still pending are void; what visuals and lights look like stays.

        Args:
            seed: New seed of the random generator; without one its stream goes on.

        Raises:
            CallbackError: A behaviour raised; those after it were not reset.
            WriteRefusedError: The simulator refused what the behaviours set.
        """
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        for key in [key for key in self._pending if key[0] in ("models", "links")]:
            del self._pending[key]
        self._lost = [lost for lost in self._lost if lost.kind not in ("models", "links")]
        self._fresh -= {"models", "links"}
        self.simulator.reset(seed)
        self.ticks = 0
        self._last_tick = None
        for single in list(self._singles.values()):
            if single is not self.behaviours:
                single.reset()
        self.behaviours.reset()
        self.flush()

    # Entities

    def spawn(self, description: Any, name: str, pose: Pose) -> None:
        """Adds a model; what was put before is sent first.

        Args:
            description: What the simulator builds models from (`deepsim_spawn.ModelDescription`).
            name: A name that no model has.
            pose: Of the model frame in the world.

        Raises:
            DuplicateEntityError: The name is taken.
            SpawnError: The description cannot be built; the world is as it was.
            ValueError: The pose is not finite, or its quaternion is zero.
            WriteRefusedError: The simulator refused what was put before; nothing was added.
        """
        row = np.zeros(1, dtype=np.intp)
        placed = checked_cells(Names("models", [name]), "pose", row, [pose])
        self.flush()
        self.simulator.spawn(description, name, Pose.from_array(placed[0]))

    def delete(self, name: str) -> None:
        """Removes a model; what was put before is sent first.

        Raises:
            UnknownEntityError: There is no such model.
            WriteRefusedError: The simulator refused what was put before; nothing was removed.
        """
        self.flush()
        self.simulator.delete(name)

    # What there is one of

    @property
    def trackers(self) -> TrackerManager:
        """What runs once per tick."""
        return self.get(TrackerManager)

    @property
    def behaviours(self) -> BehaviourManager:
        """The behaviours of this world, by name and by tag."""
        return self.get(BehaviourManager)

    def get(self, kind: type[T]) -> T:
        """This world's one instance of a manager or tracker, made at its first use."""
        single = self._singles.get(kind)
        if single is None:
            single = self._singles[kind] = kind(self)
        return cast(T, single)

    @staticmethod
    def current() -> World:
        """The world that ``get_instance()`` answers for.

        Raises:
            NoCurrentWorldError: There is none.
        """
        return current_world()

    def make_current(self) -> None:
        """Lets ``get_instance()`` answer for this world from now on, in this thread."""
        entered.set((*entered.get()[:-1], self))

    def __enter__(self) -> World:
        entered.set((*entered.get(), self))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        entered.set(entered.get()[:-1])

    def close(self) -> None:
        """Ends the simulator; the world is current no more."""
        entered.set(tuple(None if world is self else world for world in entered.get()))
        self.simulator.close()

    # Freshness

    def _fresh_tables(self, kind: Kind) -> Tables:
        self._follow_entities()
        self._used.add(kind)
        if kind not in self._fresh:
            self._read({kind})
        return self._shown

    def _read(self, kinds: Collection[Kind]) -> None:
        if not kinds:
            return
        kept = []
        for (kind, name), mask in self._pending.items():
            if kind in kinds:
                column = self._tables.column(kind, name)
                kept.append((column, mask, column[mask]))
        self.simulator.read(self._tables, kinds)
        for column, mask, values in kept:
            column[mask] = values
        self._fresh.update(kinds)

    def _follow_entities(self) -> None:
        """Makes new tables when entities came or went; what is pending moves along by name."""
        if self.simulator.entities.generation == self._tables.entities.generation:
            return
        old, self._tables = self._tables, Tables.allocate(self.simulator.entities)
        self._shown = self._tables.read_only()
        self._fresh.clear()
        pending, self._pending = self._pending, {}
        for (kind, name), mask in pending.items():
            before, now = old.entities.names(kind), self._tables.entities.names(kind)
            values = old.column(kind, name)
            self._read({kind} - self._fresh)
            for world, row in zip(*np.nonzero(mask), strict=True):
                entity = before[row]
                if entity not in now:
                    self._lost.append(Refusal(kind, name, entity, "it was deleted", int(world)))
                    continue
                self._tables.column(kind, name)[world, now.row(entity)] = values[world, row]
                self._pending.setdefault(
                    (kind, name), np.zeros((mask.shape[0], len(now)), dtype=np.bool_)
                )[world, now.row(entity)] = True
