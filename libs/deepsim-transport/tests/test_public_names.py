# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from types import ModuleType

import deepsim_transport


def test_all_lists_the_public_names() -> None:
    public = {
        name
        for name, value in vars(deepsim_transport).items()
        if not name.startswith("_") and not isinstance(value, ModuleType) and name != "annotations"
    }
    assert sorted(public | {"messages"}) == sorted(deepsim_transport.__all__)
