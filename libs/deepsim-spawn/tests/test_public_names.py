# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from importlib.metadata import version
from types import ModuleType

import deepsim_spawn


def test_all_lists_every_public_name():
    public = {
        name
        for name, value in vars(deepsim_spawn).items()
        if not name.startswith("_") and not isinstance(value, ModuleType) and name != "annotations"
    }
    assert public == set(deepsim_spawn.__all__)


def test_the_version_is_that_of_the_distribution() -> None:
    assert deepsim_spawn.__version__ == version("deepsim-spawn")
