# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from types import ModuleType

import pytest

import deepsim_spawn


def test_all_lists_every_public_name():
    public = {
        name
        for name, value in vars(deepsim_spawn).items()
        if not name.startswith("_") and not isinstance(value, ModuleType) and name != "annotations"
    }
    assert public == set(deepsim_spawn.__all__)


@pytest.mark.parametrize("name", ["Mimic", "Scene"])
def test_a_former_name_warns_and_is_the_class_of_today(name: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"deepsim_spawn.{name} .* use {name}Description"):
        found = getattr(deepsim_spawn, name)
    assert found is getattr(deepsim_spawn, f"{name}Description")
