# SPDX-License-Identifier: Apache-2.0
"""Arrays with leading axes for members of a space; dicts and tuples of them for nested spaces."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import create_empty_array

from deepsim_envs.spaces import leafwise


def allocated(space: spaces.Space[Any], shape: tuple[int, ...], what: str) -> Any:
    """Returns zeros for members of a space, with leading axes of that shape.

    Raises:
        TypeError: Members do not all have the same size; the message names them as `what`.
    """
    flat = create_empty_array(space, math.prod(shape), np.zeros)
    try:
        return leafwise(lambda part: part.reshape(*shape, *part.shape[1:]), flat)
    except AttributeError:  # values of any size, which lie in a tuple
        raise TypeError(
            f"{what} must be of a Box, Discrete, MultiBinary, MultiDiscrete, Dict or Tuple space "
            f"to fit an array, got {space}"
        ) from None


def put_batch(records: Any, place: Any, batch: Any, what: str) -> None:
    """Writes a policy's batch into a place of the records.

    Raises:
        ValueError: It has another number of rows, structure, or type; the message names it.
    """

    def put(record: Any, part: Any) -> None:
        array, row = np.asarray(part), record[place]
        if array.shape != row.shape:
            raise ValueError(
                f"{what} must have a row for each of {len(row)} observations and the shape "
                f"{row.shape}, got {array.shape}"
            )
        if array.dtype != record.dtype and not np.can_cast(array.dtype, record.dtype, "same_kind"):
            raise ValueError(f"{what} must be {record.dtype} numbers, got {array.dtype}")
        record[place] = array

    try:
        leafwise(put, records, batch)
    except (KeyError, IndexError, TypeError):
        raise ValueError(f"{what} has another structure than its space, got {batch!r}") from None
