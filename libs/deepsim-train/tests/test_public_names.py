# SPDX-License-Identifier: Apache-2.0
"""What the packages offer is what their `__all__` says, and what the README shows."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

import deepsim_train
import deepsim_train.rollout_pool

PACKAGES = pytest.mark.parametrize("package", [deepsim_train, deepsim_train.rollout_pool])
README = Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")


@PACKAGES
def test_all_lists_the_public_names(package: ModuleType) -> None:
    public = {
        name
        for name, value in vars(package).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    assert sorted(public) == package.__all__


@PACKAGES
def test_the_readme_names_them_all(package: ModuleType) -> None:
    assert [name for name in package.__all__ if name not in README] == []
