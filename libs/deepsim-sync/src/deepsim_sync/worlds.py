# SPDX-License-Identifier: Apache-2.0
"""Many worlds alike, ticked as one batch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any, Callable, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .entities import Entities, Kind
from .many_worlds import Chosen, SimulatorBatch
from .mirror import Mirror
from .snapshots import entity_names
from .table_views import TableViews
from .tables import Array

Update = Callable[[NDArray[np.float64], NDArray[np.float64]], None]
"""Takes the simulated time since the last tick of each world and the time now [s], both (W,)."""


class WorldsState(NamedTuple):
    """An instant of many worlds; `Worlds.set_state` goes back to it."""

    entities: Mapping[Kind, tuple[str, ...]]
    simulator: Any
    looks: Mapping[tuple[Kind, str], Array]
    rngs: Sequence[Mapping[str, Any]]
    ticks: NDArray[np.int64]
    last_tick: NDArray[np.float64]


class Worlds(TableViews):
    """What `World` is, for many worlds: tables with a row of worlds, and a tick of all at once.

    It has no behaviours, trackers or effects: what one object does in one world is done here for
    all worlds by a few operations on arrays, as in ``put("models", {"pose": poses}, rows)`` with
    poses of shape (W, k, 7). Each world gives the bits that a `World` alone would give.

    Args:
        simulator: The physics; it belongs to the worlds from now on.
        steps_per_tick: Physics steps of one tick.

    Attributes:
        simulator: The physics.
        steps_per_tick: Physics steps of one tick.
        rngs: The source of all randomness in each world.
        ticks: Ticks of each world since its last reset, (W,).
    """

    def __init__(self, simulator: SimulatorBatch, *, steps_per_tick: int = 1) -> None:
        if steps_per_tick < 1:
            raise ValueError(f"steps_per_tick must be >= 1, got {steps_per_tick}")
        self.simulator = simulator
        self.steps_per_tick = steps_per_tick
        self.rngs = [np.random.default_rng(number) for number in range(len(self))]
        self.ticks = np.zeros(len(self), dtype=np.int64)
        self._last_tick = np.full(len(self), np.nan)
        self._mirror = Mirror(simulator, len(self))

    def __len__(self) -> int:
        return self.simulator.worlds

    # The rows

    @property
    def entities(self) -> Entities:
        """The names of all models, links, visuals and lights of each world."""
        return self.simulator.entities

    def put(
        self,
        kind: Kind,
        columns: Mapping[str, ArrayLike],
        rows: Iterable[int] | None = None,
        worlds: Chosen | None = None,
    ) -> None:
        """Changes rows of a table in some worlds: seen at once, sent with the next flush.

        Args:
            kind: The table.
            columns: New values by column: whole cells, of a shape that broadcasts to (w, k, ...).
            rows: The k rows; all of them by default.
            worlds: The w worlds; all of them by default.

        Raises:
            ValueError: There is no such table or column, or a value is not fit for its column;
                nothing was changed.
        """
        self._mirror.put(kind, columns, rows, worlds)

    def flush(self) -> None:
        """Sends everything that was put since the last flush, in one batch.

        Raises:
            WriteRefusedError: The simulator refused rows; all others were applied.
        """
        self._mirror.flush()

    # Time

    @property
    def time(self) -> NDArray[np.float64]:
        """Simulated time of each world [s], (W,)."""
        return self.simulator.time

    @property
    def timestep(self) -> float:
        """Duration of one physics step [s]."""
        return self.simulator.timestep

    def tick(self, update: Update, worlds: Chosen | None = None) -> None:
        """One tick: the rows are read, updated and written back; then the physics.

        Args:
            update: Does what behaviours do in their fixed update, for all worlds. What it puts into
                worlds that do not tick is written all the same. It may reset worlds: their tick
                goes on from the start.
            worlds: Those that tick; all of them by default.

        Raises:
            WriteRefusedError: The simulator refused rows; the physics did not advance.
            SimulationError: The physics of worlds that are named diverged; the others ticked.
        """
        chosen = np.arange(len(self)) if worlds is None else worlds
        now = self.time
        update(np.where(np.isnan(self._last_tick), 0.0, now - self._last_tick), now)
        self.flush()
        before = self.time  # not `now`: the update may have reset worlds
        self._last_tick[chosen] = before[chosen]
        self._mirror.expire()
        try:
            self.simulator.step(self.steps_per_tick, chosen)
        except BaseException:
            self.ticks[chosen] += self.time[chosen] > before[chosen]  # of those that advanced
            raise
        self.ticks[chosen] += 1

    def reset(
        self, worlds: Chosen | None = None, seeds: Sequence[int | None] | None = None
    ) -> None:
        """Some worlds back to time 0: every model at its spawn pose and at rest.

        What was put into their poses and twists is void; what visuals and lights look like stays.

        Args:
            worlds: Those that are reset; all of them by default.
            seeds: New seed of the generator of each of these, or None, with which its stream goes
                on. The simulator gets them too.
        """
        chosen = np.arange(len(self)) if worlds is None else worlds
        if seeds is not None and len(seeds) != len(chosen):
            raise ValueError(f"{len(chosen)} worlds take as many seeds, got {len(seeds)}")
        for number, seed in zip(chosen.tolist(), seeds or ()):
            if seed is not None:
                # In place, for those who keep a reference.
                fresh = np.random.default_rng(seed).bit_generator.state
                self.rngs[number].bit_generator.state = fresh
        self._mirror.void_states(chosen)
        self.simulator.reset(chosen, seeds)
        self.ticks[chosen] = 0
        self._last_tick[chosen] = np.nan

    # Snapshots

    def get_state(self) -> WorldsState:
        """This instant, to come back to by `set_state`; what was put before is sent first.

        Raises:
            UnsupportedError: The simulator cannot go back.
            WriteRefusedError: The simulator refused what was put before.
        """
        self.flush()
        return WorldsState(
            entities=entity_names(self.entities),
            simulator=self.simulator.get_state(),
            looks=self._mirror.looks(),
            rngs=[deepcopy(rng.bit_generator.state) for rng in self.rngs],
            ticks=self.ticks.copy(),
            last_tick=self._last_tick.copy(),
        )

    def set_state(self, state: WorldsState) -> None:
        """Goes back to an instant, and goes on from there bit for bit; what was put before is void.

        Raises:
            ValueError: The state is one of other entities, or of another number of worlds; nothing
                has changed.
            UnsupportedError: The simulator cannot go back.
        """
        if len(state.ticks) != len(self) or state.entities != entity_names(self.entities):
            raise ValueError(
                f"the state is of {len(state.ticks)} worlds with {state.entities['models']}, but "
                f"there are {len(self)} with {tuple(self.entities.models)}"
            )
        self._mirror.restore_looks(state.looks)
        self.simulator.set_state(state.simulator)
        self._mirror.expire()
        for rng, kept_state in zip(self.rngs, state.rngs):
            rng.bit_generator.state = deepcopy(dict(kept_state))
        self.ticks[:] = state.ticks
        self._last_tick[:] = state.last_tick

    def close(self) -> None:
        """Frees what the simulator holds."""
        self.simulator.close()
