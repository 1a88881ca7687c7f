# SPDX-License-Identifier: Apache-2.0
"""Checks of numbers of worlds, seeds and counts that users pass."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray


def checked_count(what: str, value: int) -> int:
    """Returns a whole number that is at least 1."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        raise TypeError(f"{what} must be an int, got {value!r}")
    if value < 1:
        raise ValueError(f"{what} must be >= 1, got {value}")
    return int(value)


def checked_seed(seed: int) -> int:
    """Returns a seed."""
    if not isinstance(seed, (int, np.integer)) or isinstance(seed, bool):
        raise TypeError(f"seed must be an int, got {seed!r}")
    if seed < 0:
        raise ValueError(f"seed must be >= 0, got {seed}")
    return int(seed)


def make_generators(seed: int, worlds: int) -> list[np.random.Generator]:
    """Returns a generator for each world; that of world w is seeded with ``seed + w``."""
    first = checked_seed(seed)
    return [np.random.default_rng(first + world) for world in range(worlds)]


def world_seeds(
    seed: int | Iterable[int | None] | None, worlds: NDArray[np.intp]
) -> list[int | None]:
    """Returns the seed of each of some worlds, or None.

    Args:
        seed: An int n stands for n + w in world w; a sequence has one entry for each of `worlds`.
        worlds: The numbers of the worlds.

    Raises:
        TypeError: A seed is not an int.
        ValueError: A seed is negative, or there are more or fewer seeds than worlds.
    """
    if seed is None:
        return [None] * len(worlds)
    if not isinstance(seed, Iterable):
        return [checked_seed(seed) + world for world in worlds.tolist()]
    seeds = list(seed)
    if len(seeds) != len(worlds):
        raise ValueError(f"{len(worlds)} worlds take {len(worlds)} seeds, got {len(seeds)}")
    return [None if own is None else checked_seed(own) for own in seeds]


def checked_worlds(worlds: ArrayLike, count: int) -> NDArray[np.intp]:
    """Returns the numbers of some worlds, (w,).

    Args:
        worlds: Numbers in ascending order, each once.
        count: The number of all worlds.

    Raises:
        TypeError: They are not ints; a mask of bool becomes numbers by ``np.flatnonzero(mask)``.
        ValueError: A world is unknown, or they are not ascending.
    """
    chosen = np.asarray(worlds)
    if not chosen.size:
        return np.zeros(0, dtype=np.intp)
    if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
        hint = ": use np.flatnonzero(mask)" if chosen.dtype.kind == "b" else ""
        raise TypeError(f"worlds must be a list of their numbers, got {worlds!r}{hint}")
    if chosen[0] < 0 or chosen[-1] >= count or (chosen[1:] <= chosen[:-1]).any():
        raise ValueError(
            f"worlds must be some of 0 to {count - 1}, ascending, got {chosen.tolist()}"
        )
    return chosen.astype(np.intp, copy=False)
