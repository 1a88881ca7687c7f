# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from types import ModuleType

import deepsim_spawn


def test_all_lists_every_public_name():
    public = {
        name
        for name, value in vars(deepsim_spawn).items()
        if not name.startswith("_") and not isinstance(value, ModuleType) and name != "annotations"
    }
    assert public == set(deepsim_spawn.__all__)
