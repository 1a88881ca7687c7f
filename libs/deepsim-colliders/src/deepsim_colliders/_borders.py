# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments: arrays and sizes."""

from __future__ import annotations

import math
from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import NDArray


def numbers(values: Any, name: str) -> NDArray[np.float64]:
    """Returns real numbers as an array.

    Raises:
        TypeError: Values are not real numbers, are masked, or have no order, as in a set.
    """
    if isinstance(values, (set, frozenset, dict)):
        raise TypeError(f"{name}: a {type(values).__name__} has no order; give a list or an array")
    array = np.asarray(unmasked(values, name))
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name}: expected real numbers, got an array of {array.dtype}")
    return np.asarray(array, dtype=np.float64)


def unmasked(values: Any, name: str) -> Any:
    """Returns `values` unchanged; raises TypeError for a masked array."""
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name}: masked arrays are not accepted; fill or compress it first")
    return values


def points_array(values: Any, name: str) -> NDArray[np.float64]:
    """Returns finite points (n, 3); raises ValueError for other shapes and other values."""
    array = numbers(values, name).copy()
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"{name} must have shape (n, 3), got {array.shape}")
    bad = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if bad.size:
        raise ValueError(f"{name} must be finite, but row {bad[0]} is {array[bad[0]].tolist()}")
    return array


def positive(value: SupportsFloat, name: str) -> float:
    """Returns a positive, finite length [m]; raises TypeError or ValueError for anything else."""
    masked = isinstance(value, np.ma.MaskedArray)
    if isinstance(value, (str, bytes, bool)) or masked or not hasattr(value, "__float__"):
        raise TypeError(f"{name} must be a number of metres, got {value!r}")
    number = float(value)
    if not 0.0 < number < math.inf:
        raise ValueError(f"{name} must be > 0 m and finite, got {value!r}")
    return number


def lengths(values: Any, name: str) -> NDArray[np.float64]:
    """Returns lengths >= 0 [m]; raises ValueError for one that is negative or not a number."""
    array = numbers(values, name)
    bad = np.argwhere(~(array >= 0.0))
    if len(bad):
        index = tuple(bad[0].tolist())
        place = f" at index {index}" if index else ""
        raise ValueError(f"{name} must be >= 0 m, got {array[index]}{place}")
    return array
