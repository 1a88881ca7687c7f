# SPDX-License-Identifier: Apache-2.0
"""Checks of arrays where they come in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def numbers(values: Any, name: str) -> NDArray[np.float64]:
    """Reads real numbers.

    Raises:
        TypeError: when `values` holds text or complex numbers, has no order or is masked.
    """
    if isinstance(values, (set, frozenset, dict)):
        raise TypeError(f"{name}: a {type(values).__name__} has no order; give a list or an array")
    array = np.asarray(unmasked(values, name))
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name}: expected real numbers, got an array of {array.dtype}")
    return np.asarray(array, dtype=np.float64)


def unmasked(values: Any, name: str) -> Any:
    """Returns `values` unchanged, unless they are masked.

    Raises:
        TypeError: for a masked array.
    """
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name}: masked arrays are not taken; fill or compress it first")
    return values


def points_array(values: Any, name: str) -> NDArray[np.float64]:
    """Reads finite points, (n, 3).

    Raises:
        TypeError: see `numbers`.
        ValueError: when the shape is another, or a point is not finite; names its row.
    """
    array = numbers(values, name).copy()
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"{name} must have shape (n, 3), got {array.shape}")
    bad = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if bad.size:
        raise ValueError(f"{name} must be finite, but row {bad[0]} is {array[bad[0]].tolist()}")
    return array
