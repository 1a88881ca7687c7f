# SPDX-License-Identifier: Apache-2.0
"""Arrays with a row for each value of a space; dicts and tuples of them for nested spaces."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from deepsim_envs.spaces import leafwise


def allocated(space: spaces.Space[Any], shape: tuple[int, ...], what: str) -> Any:
    """Returns zeros for members of a space, with leading axes.

    Args:
        space: A box, discrete, multi-binary or multi-discrete one, or dicts and tuples of these.
        shape: The leading axes.
        what: Names the values in messages.

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
    """Writes a member of the space, or other columns, into a row or rows."""
    leafwise(lambda part, own: part.__setitem__(row, own), columns, value)


def taken(columns: Any, row: Any) -> Any:
    """Returns copies of a row or rows."""
    return leafwise(lambda part: part[row].copy(), columns)


def as_columns(space: spaces.Space[Any], values: Any, rows: int, what: str) -> Any:
    """Returns a user's batch of members as columns.

    Raises:
        ValueError: It has not that many rows, another structure, another type, or NaN in it.
    """

    def checked(zeros: Any, part: Any) -> Any:
        array = np.asarray(part)
        if array.shape != zeros.shape:
            raise ValueError(
                f"{what} must have a row for each of {rows} observations and the shape "
                f"{zeros.shape}, got {array.shape}"
            )
        if not np.can_cast(array.dtype, zeros.dtype, "same_kind"):
            raise ValueError(f"{what} must be {zeros.dtype} numbers, got {array.dtype}")
        if array.dtype.kind == "f" and np.isnan(array).any():
            raise ValueError(f"{what} must not hold NaN, got {array!r}")
        return array

    try:
        return leafwise(checked, allocated(space, (rows,), what), values)
    except (KeyError, IndexError, TypeError):
        raise ValueError(f"{what} must be batches for {space}, got {values!r}") from None
