# SPDX-License-Identifier: Apache-2.0
"""The public names are the documented ones."""

from __future__ import annotations

import types

import deepsim_colliders


def test_all_is_sorted_and_complete():
    """`__all__` lists every public name of the package, and no other."""
    public = {
        name
        for name, value in vars(deepsim_colliders).items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType)
    }
    assert public == set(deepsim_colliders.__all__)
    assert deepsim_colliders.__all__ == sorted(deepsim_colliders.__all__)
