# SPDX-License-Identifier: Apache-2.0
"""The public names are those that `__all__` lists."""

from __future__ import annotations

import types

import deepsim_mujoco


def test_all_lists_every_public_name_once_and_in_order() -> None:
    public = [
        name
        for name, value in vars(deepsim_mujoco).items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType)
    ]
    assert sorted(deepsim_mujoco.__all__) == sorted(public)
    assert len(set(deepsim_mujoco.__all__)) == len(deepsim_mujoco.__all__)
