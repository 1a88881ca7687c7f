# SPDX-License-Identifier: Apache-2.0
"""An instant of a world."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_sync.port.entities import KINDS, Entities, Kind
from deepsim_sync.port.tables import Array, Key

from .current import PerWorld


@dataclass(frozen=True)
class WorldState:
    """An instant of a world; `World.set_state` goes back to it, in a world with the same entities.

    It can be pickled if the states of its behaviours can.

    Attributes:
        entities: Names of all entities by kind.
        simulator: The simulator's own state.
        appearance: Columns of visuals and lights.
        rngs: State of the random generator of each world.
        ticks: (W,) ticks since the last reset of each world.
        behaviours: The result of each behaviour's `get_state`, by name.
        managers: The result of `PerWorld.get_state`, by class.
    """

    entities: Mapping[Kind, tuple[str, ...]]
    simulator: Any
    appearance: Mapping[Key, Array]
    rngs: Sequence[Mapping[str, Any]]
    ticks: NDArray[np.int64]
    behaviours: Mapping[str, Any]
    managers: Mapping[type[PerWorld], Any]

    def require_fit(self, worlds: int, entities: Entities, behaviours: Iterable[str]) -> None:
        """Refuses a world with other contents.

        Raises:
            ValueError: The number of worlds, the entities or the behaviours differ from those of
                the state, or are in another order.
        """
        if len(self.ticks) != worlds:
            raise ValueError(f"the state has {len(self.ticks)} worlds, but there are {worlds}")
        pairs: dict[str, tuple[Iterable[str], Iterable[str]]] = {
            kind: (self.entities[kind], names) for kind, names in entity_names(entities).items()
        }
        pairs["behaviours"] = self.behaviours, behaviours
        for noun, (kept, present) in pairs.items():
            if list(kept) != list(present):
                raise ValueError(
                    f"the state has {noun} {list(kept)}, but the world has {list(present)}: "
                    "restore it into a world with the same entities and behaviours"
                )


def entity_names(entities: Entities) -> dict[Kind, tuple[str, ...]]:
    """Returns the names of all entities by kind, in the order of their rows."""
    return {kind: tuple(entities.names(kind)) for kind in KINDS}
