# SPDX-License-Identifier: Apache-2.0
"""The public names are those that `__all__` lists."""

from __future__ import annotations

import types

import deepsim


def test_all_lists_every_public_name_once_and_in_order() -> None:
    public = [
        name
        for name, value in vars(deepsim).items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType)
    ]
    assert sorted(deepsim.__all__) == sorted(public)
    assert len(set(deepsim.__all__)) == len(deepsim.__all__)
