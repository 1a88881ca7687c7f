# SPDX-License-Identifier: Apache-2.0
"""Curricula: keeps the level of each world, which a hook of the area changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_envs.area import Area, AreaInterface
from deepsim_sync import WorldNumbers, world_seeds

from .episodes import frozen

LEVEL = "level"
"""The key of levels in the info and in the options of a reset."""


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
