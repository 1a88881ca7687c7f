# SPDX-License-Identifier: Apache-2.0
"""Snapshots of a world."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deepsim_sync.current import PerWorld
from deepsim_sync.port.column_type import Array
from deepsim_sync.port.entities import KINDS, Entities, Kind
from deepsim_sync.port.tables import Key

if TYPE_CHECKING:
    from deepsim_sync.port.capabilities import Snapshots

    from .world import World


@dataclass(frozen=True)
class WorldState:
    """A snapshot of a world, which `World.set_state` restores in a world with the same entities.

    It can be pickled if the states of its behaviours can.

    >>> world = World(TableSimulator())
    >>> start = world.get_state()
    >>> world.tick()
    >>> world.set_state(start)
    >>> world.ticks
    array([0])

    Attributes:
        entities: Names of all entities by kind.
        simulator: State of the simulator.
        appearance: Columns of visuals and lights.
        rngs: State of the random generator of each world.
        ticks: Ticks since the last reset of each world, (W,).
        behaviours: Results of `Behaviour.get_state`, by name.
        managers: Results of `PerWorld.get_state`, by class.
    """

    entities: Mapping[Kind, tuple[str, ...]]
    simulator: Any
    appearance: Mapping[Key, Array]
    rngs: Sequence[Mapping[str, Any]]
    ticks: NDArray[np.int64]
    behaviours: Mapping[str, Any]
    managers: Mapping[type[PerWorld], Any]

    def require_fit(self, worlds: int, entities: Entities, behaviours: Iterable[str]) -> None:
        """Raises ValueError if worlds, entities or behaviours differ from the snapshot."""
        if len(self.ticks) != worlds:
            raise ValueError(f"the state has {len(self.ticks)} worlds, but there are {worlds}")
        pairs: dict[str, tuple[Iterable[str], Iterable[str]]] = {
            kind: (self.entities[kind], names) for kind, names in entity_names(entities).items()
        }
        pairs["behaviours"] = self.behaviours, behaviours
        for noun, (kept, present) in pairs.items():
            had, has = list(kept), list(present)
            if had != has:
                first = next((i for i, (a, b) in enumerate(zip(had, has)) if a != b), None)
                at = min(len(had), len(has)) if first is None else first
                raise ValueError(
                    f"the state has {_some(noun, had, at)}, but the world has "
                    f"{_some(noun, has, at)}: restore it into a world with the same entities and "
                    "behaviours, in the same order"
                )


def _some(noun: str, names: Sequence[str], at: int) -> str:
    """Returns the number of names, and three of them from `at` on for a message."""
    shown = ", ".join(map(repr, names[at : at + 3]))
    return f"{len(names)} {noun}" + (f", {shown}{', ...' * (len(names) > at + 3)}" if shown else "")


def entity_names(entities: Entities) -> dict[Kind, tuple[str, ...]]:
    """Returns the names of all entities by kind, in the order of their rows."""
    return {kind: tuple(entities.names(kind)) for kind in KINDS}


def capture(world: World, snapshots: Snapshots) -> WorldState:
    """Returns a snapshot of a world without unsent changes; see `World.get_state`."""
    return WorldState(
        entities=entity_names(world.entities),
        simulator=snapshots.get_state(),
        appearance=world.cache.appearance(),
        rngs=[deepcopy(rng.bit_generator.state) for rng in world.rngs],
        ticks=world.ticks.copy(),
        behaviours={
            each.name: world.invoke(each.name, each.get_state) for each in world.behaviours
        },
        managers={
            kind: state
            for kind, manager in world.managers.items()
            for state in [world.invoke(kind.__name__, manager.get_state)]
            if state is not None
        },
    )


def restore(world: World, snapshots: Snapshots, state: WorldState) -> None:
    """Restores a snapshot; see `World.set_state`."""
    state.require_fit(len(world), world.entities, [each.name for each in world.behaviours])
    for kind, manager in world.managers.items():
        if kind not in state.managers and manager is not world.behaviours:
            manager.reset(np.arange(len(world)))
    world.cache.restore_appearance(state.appearance)
    snapshots.set_state(state.simulator)
    world.cache.forget()
    for rng, kept in zip(world.rngs, state.rngs):
        rng.bit_generator.state = deepcopy(dict(kept))
    world.ticks[:] = state.ticks
    for each in world.behaviours:
        world.invoke(each.name, each.set_state, state.behaviours[each.name])
    for kind, kept_state in state.managers.items():
        world.invoke(kind.__name__, world.get(kind).set_state, kept_state)
