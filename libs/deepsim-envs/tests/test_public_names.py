# SPDX-License-Identifier: Apache-2.0
"""What the packages offer is what their `__all__` says, and what the README shows."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

import deepsim_envs
import deepsim_envs.pettingzoo
import deepsim_envs.ude

PACKAGES = pytest.mark.parametrize(
    "package",
    [deepsim_envs, deepsim_envs.pettingzoo, deepsim_envs.ude],
)
README = Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")


@PACKAGES
def test_all_lists_the_public_names(package: ModuleType) -> None:
    public = {
        name
        for name in dir(package)
        if not name.startswith("_") and not isinstance(getattr(package, name), ModuleType)
    }
    assert sorted(public) == package.__all__


def test_a_name_that_there_is_not() -> None:
    """As of any module, whether a name is imported early or late."""
    with pytest.raises(AttributeError, match="module 'deepsim_envs' has no attribute 'Enviroment'"):
        _ = deepsim_envs.Enviroment  # type: ignore[attr-defined]


@PACKAGES
def test_the_readme_names_them_all(package: ModuleType) -> None:
    assert [name for name in package.__all__ if name not in README] == []
