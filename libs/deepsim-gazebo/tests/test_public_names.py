# SPDX-License-Identifier: Apache-2.0
"""What the package offers is what its `__all__` says."""

from __future__ import annotations

from types import ModuleType

import deepsim_gazebo


def test_all_lists_the_public_names() -> None:
    public = {
        name
        for name, value in vars(deepsim_gazebo).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    assert sorted(public) == sorted(deepsim_gazebo.__all__)
