# SPDX-License-Identifier: Apache-2.0
"""Single simulators as one batch, for backends that cannot run many worlds at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .callbacks import call_all
from .changes import Cells, Changes, Refusal
from .entities import KINDS, Entities, Kind
from .errors import SimulationError, UnsupportedError
from .many_worlds import Chosen
from .simulator import Simulator
from .snapshots import Snapshots, entity_names
from .tables import Tables


class SimulatorsInTurn:
    """A `SimulatorBatch` that asks one simulator after the other.

    Args:
        simulators: One for each world, with the same entities; they belong to the batch from now
            on.

    Raises:
        ValueError: There is none, or their entities or step sizes differ.
    """

    def __init__(self, simulators: Iterable[Simulator]) -> None:
        self._simulators = list(simulators)
        if not self._simulators:
            raise ValueError("a batch needs at least one simulator, got none")
        first = self._simulators[0]
        for number, each in enumerate(self._simulators):
            alike = entity_names(each.entities) == entity_names(first.entities)
            if not alike or each.timestep != first.timestep:
                raise ValueError(f"world {number} has not the entities and step size of world 0")
        self._entities = first.entities

    @property
    def worlds(self) -> int:
        """How many worlds there are."""
        return len(self._simulators)

    @property
    def entities(self) -> Entities:
        """The names of all entities."""
        return self._entities

    @property
    def time(self) -> NDArray[np.float64]:
        """Simulated time of each world [s], (W,)."""
        return np.array([each.time for each in self._simulators])

    @property
    def timestep(self) -> float:
        """Duration of one physics step [s]."""
        return self._simulators[0].timestep

    def step(self, n: int, chosen: Chosen) -> None:
        """Advances some worlds; see `SimulatorBatch.step`."""
        diverged = []
        for number in chosen.tolist():
            try:
                self._simulators[number].step(n)
            except SimulationError as error:
                diverged.append((number, error))
        if diverged:
            numbers = [number for number, _ in diverged]
            raise SimulationError(f"in worlds {numbers}: {diverged[0][1]}") from diverged[0][1]

    def reset(self, chosen: Chosen, seeds: Sequence[int | None] | None = None) -> None:
        """Puts some worlds back to time 0; see `SimulatorBatch.reset`."""
        given = [None] * len(chosen) if seeds is None else seeds
        for number, seed in zip(chosen.tolist(), given):
            self._simulators[number].reset(seed)

    def read(self, tables: Tables, kinds: Collection[Kind] = KINDS) -> None:
        """Fills the named tables, world by world."""
        for number, each in enumerate(self._simulators):
            each.read(tables.of_world(number, each.entities), kinds)

    def write(self, changes: Changes) -> list[Refusal]:
        """Hands each world its own changes."""
        refusals = []
        for number, each in enumerate(self._simulators):
            own = {
                key: Cells(cells.worlds[mine] * 0, cells.rows[mine], cells.values[mine])
                for key, cells in changes.cells.items()
                for mine in [cells.worlds == number]
                if mine.any()
            }
            if own:
                refused = each.write(Changes(each.entities.generation, own))
                refusals += [refusal._replace(world=number) for refusal in refused]
        return refusals

    def get_state(self) -> list[Any]:
        """The state of each.

        Raises:
            UnsupportedError: One cannot go back.
        """
        return [each.get_state() for each in self._snapshots()]

    def set_state(self, state: list[Any]) -> None:
        """Goes back to an instant.

        Raises:
            ValueError: The state is one of other entities, or of another number of worlds.
            UnsupportedError: A simulator cannot go back.
        """
        if len(state) != self.worlds:
            raise ValueError(f"the state is of {len(state)} worlds, there are {self.worlds}")
        for each, own in zip(self._snapshots(), state):
            each.set_state(own)

    def close(self) -> None:
        """Closes all simulators, also after one that raised; then raises the first error."""
        call_all(each.close for each in self._simulators)

    def _snapshots(self) -> list[Snapshots]:
        able: list[Snapshots] = [each for each in self._simulators if isinstance(each, Snapshots)]
        if len(able) < self.worlds:
            raise UnsupportedError(f"{type(self._simulators[0]).__name__} cannot go back")
        return able
