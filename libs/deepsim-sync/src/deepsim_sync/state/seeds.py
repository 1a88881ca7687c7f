# SPDX-License-Identifier: Apache-2.0
"""Validation of counts, seeds and world numbers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray


def checked_int(name: str, value: int, least: int) -> int:
    """Returns a whole number that is at least `least`; errors name the argument."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        raise TypeError(f"{name} must be an int, got {value!r}")
    if value < least:
        raise ValueError(f"{name} must be >= {least}, got {value}")
    return int(value)


def world_seeds(
    seed: int | Iterable[int | None] | None, worlds: NDArray[np.intp]
) -> list[int | None]:
    """Returns a seed or None for each of some worlds.

    Args:
        seed: An int n, which gives world w the seed n + w, or one entry for each of `worlds`.
        worlds: Numbers of the worlds.

    Raises:
        TypeError: A seed is not an int.
        ValueError: A seed is negative, or there are not as many seeds as worlds.
    """
    if seed is None:
        return [None] * len(worlds)
    if not isinstance(seed, Iterable):
        first = checked_int("seed", seed, 0)
        return [first + world for world in worlds.tolist()]
    seeds = list(seed)
    if len(seeds) != len(worlds):
        raise ValueError(f"{len(worlds)} worlds take {len(worlds)} seeds, got {len(seeds)}")
    return [None if own is None else checked_int("seed", own, 0) for own in seeds]


def checked_worlds(worlds: ArrayLike, count: int) -> NDArray[np.intp]:
    """Returns the numbers of some worlds as an array, (w,).

    Args:
        worlds: Numbers in ascending order, without repetition.
        count: Number of all worlds.

    Raises:
        TypeError: The numbers are not ints; ``np.flatnonzero(mask)`` converts a mask.
        ValueError: A world does not exist, or the numbers are not ascending.
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
