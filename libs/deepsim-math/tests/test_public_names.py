# SPDX-License-Identifier: Apache-2.0
"""The public names are the documented ones."""

from __future__ import annotations

import types

import deepsim_math


def test_all_is_sorted_and_complete():
    """`__all__` lists every public name of the package, and no other."""
    batch = {"angles", "frustums", "poses", "quaternions", "twists", "vectors"}
    public = {
        name
        for name, value in vars(deepsim_math).items()
        if not name.startswith("_") and (name in batch or not isinstance(value, types.ModuleType))
    }
    assert public == set(deepsim_math.__all__)
    assert deepsim_math.__all__ == sorted(deepsim_math.__all__)
