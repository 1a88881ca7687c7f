# SPDX-License-Identifier: Apache-2.0
"""The info of steps: values of an area by name or as arrays, and levels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from deepsim_envs.area import Area, AreaInterface
from deepsim_envs.spaces import copied
from deepsim_sync import WorldNumbers, world_seeds

from .slots import Slot, frozen

LEVEL = "level"
"""The key of levels in the info and in the options of a reset."""

Floats = NDArray[np.float64]
_NUMBERS = (bool, int, float, np.number, np.bool_, np.ndarray)


def info_by_name(
    info: Mapping[str, Any], slots: Iterable[Slot], agents: Sequence[str], worlds: int
) -> dict[str, Any]:
    """Converts an area's info for `Environment.step`.

    Shared values are arrays (W, ...), or without this axis if there is one world. An agent's own
    values become a dict for each of its slots, under the name of the slot.
    """
    named: dict[str, Any] = {}
    for key, value in info.items():
        if key in agents and isinstance(value, Mapping):
            for slot in slots:
                if slot.agent == key:
                    named[slot.name] = {
                        part: entry_of(values, slot.world) for part, values in value.items()
                    }
        elif worlds == 1:
            named[key] = entry_of(value, 0)
        else:
            named[key] = world_values(value, worlds, f"info {key!r}")
    return named


def arrays_of_info(info: Mapping[str, Any], agents: Sequence[str], worlds: int) -> dict[str, Any]:
    """Returns an area's info as arrays (W, ...); the values of an agent are a dict of arrays."""
    return {
        key: arrays_of_info(value, (), worlds)
        if key in agents and isinstance(value, Mapping)
        else world_values(value, worlds, f"info {key!r}")
        for key, value in info.items()
    }


class Slots(Protocol):
    """The part of `Environment` that `info_of` needs."""

    slots: tuple[str, ...]

    def __len__(self) -> int: ...

    def world_of(self, slot: str) -> int:
        """Returns the number of a slot's world."""


def info_of(slot: str, environment: Slots, info: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a copy of one slot's part of a step's info.

    It has the values that all agents in the slot's world share, and those of the slot's agent. If
    the world diverged, it also has ``"diverged"``, but no other ends of episodes, which views
    return separately.

    Args:
        slot: One of `Environment.slots`.
        environment: The environment.
        info: The info of its latest `reset` or `step`.
    """
    worlds = len(environment)
    names = environment.slots
    shared = {
        key: value if worlds == 1 else entry_of(value, environment.world_of(slot))
        for key, value in info.items()
        if key != "deepsim" and not (key in names and isinstance(value, Mapping))
    }
    own = info.get(slot)
    diverged = {"diverged": True} if info["deepsim"]["diverged"].get(slot) else {}
    return {**copied(shared), **copied(own if isinstance(own, Mapping) else {}), **diverged}


def own_info(info: Mapping[str, Any], agents: Sequence[str], agent: str) -> dict[str, Any]:
    """Returns the shared entries of an info, and those in the dict under the agent's name."""
    own = info.get(agent)
    shared = {
        key: value
        for key, value in info.items()
        if not (key in agents and isinstance(value, Mapping))
    }
    return {**shared, **own} if isinstance(own, Mapping) else shared


def entries_of(values: Mapping[str, Any], world: int) -> dict[str, Any]:
    """Returns copies of the entries for one world."""
    return {key: entry_of(value, world) for key, value in values.items()}


def entry_of(values: Any, world: int) -> Any:
    """Returns a copy of one world's entry; a number in an array becomes a Python number."""
    entry = values[world]
    from_array = isinstance(values, np.ndarray) and isinstance(entry, np.generic)
    return entry.item() if from_array else copied(entry)


def world_values(value: Any, worlds: int, what: str) -> NDArray[Any]:
    """Returns a new array with an entry for each world.

    Numbers, and arrays of equal shapes, are joined into an array of numbers. Anything else becomes
    an array of objects, as in Gymnasium's vector environments.

    Raises:
        ValueError: The value does not have one entry for each world.
    """
    array = _joined(value)
    if array.shape[:1] != (worlds,):
        raise ValueError(f"{what} must have shape ({worlds}, ...), got {array.shape}")
    return array


def _joined(value: Any) -> NDArray[Any]:
    if isinstance(value, np.ndarray):
        return value.astype(object) if value.dtype.kind in "US" else value.copy()
    entries = list(value) if isinstance(value, (list, tuple)) else [value]
    if all(isinstance(entry, _NUMBERS) for entry in entries):
        with suppress(ValueError):  # of different shapes
            return np.array(entries)
    array = np.full(len(entries), None, dtype=object)
    for world, entry in enumerate(entries):
        array[world] = copied(entry)
    return array


class Levels:
    """Keeps the level of each world in the area's attribute `level`.

    An episode that begins with a seed has the first level, because a seed must always give the same
    episode. The hook `next_level` determines the level of other episodes. The option ``"level"`` of
    a reset takes precedence over both.

    Args:
        area: The task.
        hook: The hook `next_level`, which takes the numbers of worlds.
        worlds: The number of worlds, W.
    """

    def __init__(self, area: Area | AreaInterface, hook: Callable[..., Any], worlds: int) -> None:
        self._area, self._hook = area, hook
        self._begun = np.zeros(worlds, np.bool_)
        self._set(np.full(worlds, area.first_level, np.int64))

    def begin(
        self,
        seeds: int | Sequence[int | None] | None,
        worlds: WorldNumbers,
        options: Mapping[str, Any] | None,
    ) -> None:
        """Sets the levels of worlds that are about to be reset.

        Args:
            seeds: The seeds of the reset.
            worlds: The numbers of the worlds.
            options: The options of the reset.

        Raises:
            ValueError: The hook or the option does not give one level for each world.
        """
        seeded = np.array([seed is not None for seed in world_seeds(seeds, worlds)])
        levels = self._levels.copy()
        levels[worlds] = self._area.first_level
        moving = worlds[self._begun[worlds] & ~seeded]
        owner = type(self._area).__name__
        if options is not None and LEVEL in options:
            levels[worlds] = _whole(options[LEVEL], worlds, "option 'level'")
        elif len(moving):
            levels[moving] = _whole(self._hook(moving), moving, f"next_level of {owner}")
        self._begun[worlds] = True
        self._set(levels)

    def add_to(self, info: Mapping[str, Any]) -> dict[str, Any]:
        """Returns an area's info, extended by the levels.

        Raises:
            ValueError: The info already has the key ``"level"``.
        """
        if LEVEL in info:
            raise ValueError(
                f"the info of {type(self._area).__name__} must leave the key {LEVEL!r} to the "
                "environment, because the area has the hook next_level"
            )
        return {**info, LEVEL: self._levels}

    def get_state(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Returns the levels, and whether each world has begun an episode, (W,) each."""
        return self._levels, self._begun.copy()

    def set_state(self, state: tuple[NDArray[np.int64], NDArray[np.bool_]]) -> None:
        """Restores a state returned by `get_state`."""
        levels, begun = state
        self._begun = begun.copy()
        self._set(levels.copy())

    def _set(self, levels: NDArray[np.int64]) -> None:
        self._levels = frozen(levels)
        one = isinstance(self._area, AreaInterface)
        self._area.level = int(levels[0]) if one else self._levels


def _whole(values: Any, worlds: WorldNumbers, what: str) -> NDArray[Any]:
    """Checks levels of some worlds, and returns them as an array.

    Raises:
        ValueError: The levels are not one integer for each world, or one for all.
    """
    levels = np.asarray(values)
    if levels.shape not in ((), worlds.shape) or not np.issubdtype(levels.dtype, np.integer):
        raise ValueError(
            f"{what} must be {len(worlds)} whole numbers, one for each world, got {values!r}"
        )
    return levels
