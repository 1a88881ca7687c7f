# SPDX-License-Identifier: Apache-2.0
"""Conversion of arguments to Python floats."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

import numpy as np

# Types that `float` accepts, or that have ``__float__`` on some Python, but are not real numbers.
_NOT_REAL = (str, bytes, bytearray, complex, np.complexfloating)


ABSENT: Any = object()  # stands for an argument that is not given


def all_or_none(kind: str, given: tuple[Any, ...], default: tuple[float, ...]) -> Any:
    """Returns `default` if all arguments are absent; raises TypeError if only some of them are."""
    found = [number(value, "each component") for value in given if value is not ABSENT]
    if found:
        raise TypeError(f"{kind} needs {len(given)} numbers, got {len(found)}: {found}")
    return default


def number(value: Any, name: str) -> float:
    """Returns a number with ``__float__`` as a float; raises TypeError for text and sequences."""
    if type(value) is float:
        return value
    if value is ABSENT:
        raise TypeError(f"{name} is missing")
    if isinstance(value, _NOT_REAL) or not hasattr(value, "__float__"):
        hint = "; unpack a sequence with *" if hasattr(value, "__len__") else ""
        raise TypeError(f"{name} must be a number, got {value!r}{hint}")
    if getattr(value, "ndim", 0):
        raise TypeError(f"{name} must be a number, got {value!r}; unpack an array with *")
    return float(value)


def numbers(values: Any, count: int, name: str) -> list[Any]:
    """Returns the `count` entries of a sequence or one-dimensional array, without checking them.

    Raises:
        TypeError: when `values` has no order (a set, a mapping), is text, or is a masked array.
        ValueError: when there are not exactly `count` entries.
    """
    if isinstance(values, np.ndarray):
        if isinstance(values, np.ma.MaskedArray) or values.dtype.kind not in "fiub":
            raise TypeError(f"{name} needs {count} numbers, got {values!r}")
        if values.shape != (count,):
            raise ValueError(f"{name} needs shape ({count},), got an array of {values.shape}")
        entries: list[Any] = values.tolist()
        return entries
    if type(values) is not list and type(values) is not tuple:  # which need no slow checks
        unordered = isinstance(values, (str, bytes, bytearray, Set, Mapping))
        if unordered or not hasattr(values, "__iter__"):
            raise TypeError(f"{name} needs {count} numbers, got {values!r}")
    entries = list(values)
    if len(entries) != count:
        raise ValueError(f"{name} needs {count} numbers, got {len(entries)}: {values!r}")
    return entries
