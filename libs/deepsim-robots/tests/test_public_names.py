# SPDX-License-Identifier: Apache-2.0
from types import ModuleType

import deepsim_robots


def test_all_lists_the_public_names() -> None:
    public = {
        name
        for name, value in vars(deepsim_robots).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    assert sorted(public) == sorted(deepsim_robots.__all__)
