# SPDX-License-Identifier: Apache-2.0
"""One number that tells whether many are fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_FEW = 4096  # for more numbers BLAS may wake threads, which go on to spin after the call


def square_sum(numbers: NDArray[Any]) -> float:
    """Returns the sum of the squares of all numbers, in one pass and without a warning.

    It is finite only if all numbers are, but may overflow although they are. Its last bits depend
    on how many numbers there are.
    """
    if numbers.size <= _FEW:
        return float(np.vdot(numbers, numbers))
    flat = numbers.reshape(-1)
    return float(np.einsum("i,i", flat, flat))
