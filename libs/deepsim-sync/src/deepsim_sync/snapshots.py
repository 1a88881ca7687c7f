# SPDX-License-Identifier: Apache-2.0
"""The optional capability to go back to an instant, and what a world remembers of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from .entities import KINDS, Entities, Kind
from .tables import Array


@runtime_checkable
class Snapshots(Protocol):
    """A simulator that can go back; ask for it by ``isinstance(simulator, Snapshots)``."""

    def get_state(self) -> Any:
        """All that the physics at later instants depends on, in a form that can be pickled.

        Where `PhysicsProperties` and `CameraMounts` are offered, factors and mounts are part of it;
        what visuals and lights look like is not.
        """
        ...

    def set_state(self, state: Any) -> None:
        """Goes back to an instant of this simulator, or of another one with the same entities.

        The physics goes on from there bit for bit as it did before.

        Args:
            state: What `get_state` returned.

        Raises:
            ValueError: The state is one of other entities.
        """
        ...


@dataclass(frozen=True)
class WorldState:
    """An instant of a world; `World.set_state` takes a world with the same entities back to it.

    It can be pickled if the states of its behaviours can.

    Attributes:
        entities: Names of all entities by kind.
        simulator: The simulator's own state.
        looks: Columns of visuals and lights, by table and column.
        rng: State of the random generator.
        ticks: Ticks since the last reset.
        last_tick: Simulated time of the last tick [s], or None.
        behaviours: What each behaviour's `get_state` returned, by name.
    """

    entities: Mapping[Kind, tuple[str, ...]]
    simulator: Any
    looks: Mapping[tuple[Kind, str], Array]
    rng: Mapping[str, Any]
    ticks: int
    last_tick: float | None
    behaviours: Mapping[str, Any]

    def require_fit(self, entities: Entities, behaviours: Iterable[str]) -> None:
        """Refuses a world of other things.

        Raises:
            ValueError: Its entities or behaviours are not those of the state, or in another order.
        """
        pairs: dict[str, tuple[Iterable[str], Iterable[str]]] = {
            kind: (self.entities[kind], names) for kind, names in entity_names(entities).items()
        }
        pairs["behaviours"] = self.behaviours, behaviours
        for noun, (kept, present) in pairs.items():
            if list(kept) != list(present):
                raise ValueError(
                    f"the state is of {noun} {list(kept)}, but the world has {list(present)}: "
                    "set it in a world that is put together alike"
                )


def entity_names(entities: Entities) -> dict[Kind, tuple[str, ...]]:
    """Names of all entities by kind, in the order of their rows."""
    return {kind: tuple(entities.names(kind)) for kind in KINDS}
