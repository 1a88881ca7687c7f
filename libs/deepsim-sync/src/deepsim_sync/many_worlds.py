# SPDX-License-Identifier: Apache-2.0
"""The optional capability to run many worlds alike as one batch."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from .changes import Changes, Refusal
from .entities import KINDS, Entities, Kind
from .tables import Tables

Chosen = NDArray[np.intp]
"""Some of the worlds: their numbers, (k,), ascending and each once."""


class SimulatorBatch(Protocol):
    """The physics of many worlds with the same entities: the port `Simulator` with one more axis.

    Tables have a row of worlds for each; none is spawned into, and none sees another.
    """

    @property
    def worlds(self) -> int:
        """How many worlds there are."""
        ...

    @property
    def entities(self) -> Entities:
        """The names of all entities, which are the same in every world and for ever."""
        ...

    @property
    def time(self) -> NDArray[np.float64]:
        """Simulated time [s] since the last reset of each world, (W,); a new array."""
        ...

    @property
    def timestep(self) -> float:
        """Duration of one physics step [s]."""
        ...

    def step(self, n: int, chosen: Chosen) -> None:
        """Advances some worlds by exactly n >= 1 physics steps.

        Raises:
            SimulationError: The physics of worlds that are named diverged; the others advanced.
        """
        ...

    def reset(self, chosen: Chosen, seeds: Sequence[int | None] | None = None) -> None:
        """Puts some worlds back to time 0: every model at its spawn pose and at rest.

        Args:
            chosen: These worlds.
            seeds: For each of them what `Simulator.reset` takes; None for none.
        """
        ...

    def read(self, tables: Tables, kinds: Collection[Kind] = KINDS) -> None:
        """Fills the named tables of all worlds; see `Simulator.read`."""
        ...

    def write(self, changes: Changes) -> Sequence[Refusal]:
        """Applies a batch of changes to any of the worlds; see `Simulator.write`."""
        ...

    def get_state(self) -> Any:
        """All that the physics at later instants depends on; see `Snapshots.get_state`."""
        ...

    def set_state(self, state: Any) -> None:
        """Goes back to an instant of this batch, or of one alike.

        Raises:
            ValueError: The state is one of other entities, or of another number of worlds.
        """
        ...

    def close(self) -> None:
        """Frees what the engine holds; closing twice does no harm."""
        ...


@runtime_checkable
class ManyWorlds(Protocol):
    """A simulator whose world can be run many times over as one batch.

    Ask for it by ``isinstance(simulator, ManyWorlds)``. Where it is missing, `SimulatorsInTurn`
    makes a batch of several simulators.
    """

    def copies(self, worlds: int) -> SimulatorBatch:
        """Worlds with the entities that this one has now, each as it is after a reset.

        Each gives the bits that this simulator gives alone. It is a simulator of its own from then
        on, and this one stays as it is.

        Args:
            worlds: How many, at least 1.
        """
        ...
