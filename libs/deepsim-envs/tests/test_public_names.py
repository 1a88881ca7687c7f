# SPDX-License-Identifier: Apache-2.0
"""Public names are in the README and have examples, and others are refused."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

import deepsim_envs
import deepsim_envs.pettingzoo
import deepsim_envs.ude

README = Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")
FUNCTIONS = ["action_box", "digest", "make_worlds", "register", "replay"]


def test_a_name_that_there_is_not() -> None:
    """As of any module, whether a name is imported early or late."""
    with pytest.raises(AttributeError, match="module 'deepsim_envs' has no attribute 'Enviroment'"):
        _ = deepsim_envs.Enviroment  # type: ignore[attr-defined]


@pytest.mark.parametrize("package", [deepsim_envs.pettingzoo, deepsim_envs.ude])
def test_the_readme_names_those_of_its_parts(package: ModuleType) -> None:
    assert [name for name in package.__all__ if name not in README] == []


def test_functions_that_a_user_meets_first_have_an_example() -> None:
    examples = [getattr(deepsim_envs, name).__doc__ for name in FUNCTIONS]
    assert [
        name for name, each in zip(FUNCTIONS, examples, strict=True) if ">>> " not in each
    ] == []
