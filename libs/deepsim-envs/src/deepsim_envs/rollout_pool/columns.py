# SPDX-License-Identifier: Apache-2.0
"""Arrays with a row for each value of a space; dicts and tuples of them for nested spaces."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces


def allocated(space: spaces.Space[Any], shape: tuple[int, ...], what: str) -> Any:
    """Zeros for values of a space, with leading axes.

    Args:
        space: A box, discrete, multi-binary or multi-discrete one, or dicts and tuples of these.
        shape: The leading axes.
        what: What the values are, for messages.

    Raises:
        TypeError: The space's values do not all have the same size.
    """
    if isinstance(space, spaces.Dict):
        return {key: allocated(part, shape, what) for key, part in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(allocated(part, shape, what) for part in space.spaces)
    if isinstance(space, spaces.Discrete):
        return np.zeros(shape, dtype=space.dtype)
    if isinstance(space, (spaces.Box, spaces.MultiBinary, spaces.MultiDiscrete)):
        return np.zeros((*shape, *space.shape), dtype=space.dtype)
    raise TypeError(
        f"{what} must be of a Box, Discrete, MultiBinary, MultiDiscrete, Dict or Tuple space to "
        f"fit an array, got {space}"
    )


def put(columns: Any, row: Any, value: Any) -> None:
    """Writes a value of the space, or another's columns, into a row or rows."""
    if isinstance(columns, dict):
        for key, part in columns.items():
            put(part, row, value[key])
    elif isinstance(columns, tuple):
        for number, part in enumerate(columns):
            put(part, row, value[number])
    else:
        columns[row] = value


def taken(columns: Any, row: Any) -> Any:
    """Copies of a row or rows."""
    if isinstance(columns, dict):
        return {key: taken(part, row) for key, part in columns.items()}
    if isinstance(columns, tuple):
        return tuple(taken(part, row) for part in columns)
    return columns[row].copy()


def as_columns(space: spaces.Space[Any], values: Any, rows: int, what: str) -> Any:
    """A user's batch of values as columns.

    Raises:
        ValueError: It has not that many rows, or another structure.
    """
    if isinstance(space, spaces.Dict):
        if not isinstance(values, dict) or values.keys() != space.spaces.keys():
            raise ValueError(f"{what} must be a dict of {list(space.spaces)}, got {values!r}")
        return {
            key: as_columns(part, values[key], rows, f"{what}[{key!r}]")
            for key, part in space.spaces.items()
        }
    if isinstance(space, spaces.Tuple):
        if not isinstance(values, tuple) or len(values) != len(space):
            raise ValueError(f"{what} must be a tuple of {len(space)} batches, got {values!r}")
        return tuple(
            as_columns(part, values[index], rows, f"{what}[{index}]")
            for index, part in enumerate(space.spaces)
        )
    array = np.asarray(values)
    if array.shape[:1] != (rows,):
        raise ValueError(
            f"{what} must have a row for each of {rows} observations, got the shape {array.shape}"
        )
    return array
