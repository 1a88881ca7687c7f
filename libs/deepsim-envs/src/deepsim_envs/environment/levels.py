# SPDX-License-Identifier: Apache-2.0
"""Curricula: the level of each world, which a hook of the area moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_envs.area import Area, AreaInterface
from deepsim_sync import WorldNumbers, world_seeds

from .episodes import frozen

LEVEL = "level"
"""The key of levels in the info, and in the options of a reset."""


class Levels:
    """Keeps the level of each world, as the attribute `level` of the area.

    An episode that begins with a seed has the first level, so that a seed gives the same episode
    always; the level of any other one follows from the hook `next_level`. The option ``"level"``
    of a reset goes before both.

    Args:
        area: The task.
        hook: The hook `next_level`, which takes numbers of worlds.
        worlds: W.
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
        """Moves the levels of worlds that are about to be reset.

        Raises:
            ValueError: The hook or the option gives something else than a level for each world.
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
        """Returns an area's info with the levels.

        Raises:
            ValueError: The info has this key itself.
        """
        if LEVEL in info:
            raise ValueError(
                f"the info of {type(self._area).__name__} must leave the key {LEVEL!r} to the "
                "environment, because the area has the hook next_level"
            )
        return {**info, LEVEL: self._levels}

    def get_state(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Returns the levels, and which worlds have begun an episode."""
        return self._levels, self._begun.copy()

    def set_state(self, state: tuple[NDArray[np.int64], NDArray[np.bool_]]) -> None:
        """Restores a state."""
        levels, begun = state
        self._begun = begun.copy()
        self._set(levels.copy())

    def _set(self, levels: NDArray[np.int64]) -> None:
        self._levels = frozen(levels)
        one = isinstance(self._area, AreaInterface)
        self._area.level = int(levels[0]) if one else self._levels


def _whole(values: Any, worlds: WorldNumbers, what: str) -> NDArray[Any]:
    """Returns levels of some worlds.

    Raises:
        ValueError: They are not one whole number for each, or one for all.
    """
    levels = np.asarray(values)
    if levels.shape not in ((), worlds.shape) or not np.issubdtype(levels.dtype, np.integer):
        raise ValueError(
            f"{what} must be {len(worlds)} whole numbers, one for each world, got {values!r}"
        )
    return levels
