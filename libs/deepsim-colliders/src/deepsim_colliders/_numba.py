# SPDX-License-Identifier: Apache-2.0
"""Detection of numba, and compilation with it."""

from __future__ import annotations

import importlib.util
from functools import lru_cache
from typing import Any, Callable

import numpy as np

Function = Callable[..., Any]


def compiled(function: Function, inline: Any = "never") -> Function:
    """Returns the function as machine code, compiled at the first call.

    The code is cached next to the sources, or in the user's cache if that folder is read-only.
    """
    import numba  # noqa: PLC0415  # of an extra

    try:
        kept: Function = numba.njit(cache=True, error_model="numpy", inline=inline)(function)
    except RuntimeError:  # neither place can be written
        kept = numba.njit(error_model="numpy", inline=inline)(function)
    return kept


def compiled_within(function: Function) -> Function:
    """Compiles a function to be inlined into its callers, where passing arrays costs nothing."""
    return compiled(function, "always")


@lru_cache(maxsize=None)
def numba_works() -> bool:
    """Returns whether numba is installed and works with this version of NumPy."""
    if importlib.util.find_spec("numba") is None:
        return False
    try:
        import numba  # noqa: F401, PLC0415  # of an extra
    except ImportError:
        return False
    return True


def use_compiled(wanted: bool | None) -> bool:
    """Returns whether to use compiled code; raises ImportError if `wanted` but numba is missing."""
    if wanted and not numba_works():
        raise ImportError("compiled=True needs numba: pip install 'deepsim-colliders[fast]'")
    return numba_works() if wanted is None else bool(wanted)


def writable(array: Any) -> Any:
    """Returns the array as compiled code needs it: in C order and writable."""
    return np.require(array, requirements=["C", "W"])
