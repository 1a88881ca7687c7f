# SPDX-License-Identifier: Apache-2.0
"""Checks of sizes given to constructors."""

from __future__ import annotations

import math
from typing import SupportsFloat

import numpy as np


def positive(value: SupportsFloat, name: str) -> float:
    """Reads a positive, finite number.

    Raises:
        TypeError: when `value` is not a number.
        ValueError: when it is not positive and finite.
    """
    masked = isinstance(value, np.ma.MaskedArray)
    if isinstance(value, (str, bytes, bool)) or masked or not hasattr(value, "__float__"):
        raise TypeError(f"{name} must be a number of metres, got {value!r}")
    number = float(value)
    if not 0.0 < number < math.inf:
        raise ValueError(f"{name} must be > 0 m and finite, got {value!r}")
    return number
