# SPDX-License-Identifier: Apache-2.0
"""The examples in docstrings print what they show."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module
from typing import Any

import gymnasium
import pytest

import deepsim_envs
import deepsim_math
import deepsim_sync
import deepsim_sync.testing
import deepsim_train

MODULES = sorted(
    module.name for module in pkgutil.walk_packages(deepsim_train.__path__, "deepsim_train.")
)
MET_FIRST = ["Task", "TrainedPolicy"]


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """The names that a reader has imported, and those of the task in the example of `Area`."""
    modules = (
        deepsim_math, deepsim_sync, deepsim_sync.testing, gymnasium.spaces, deepsim_envs,
        deepsim_train,
    )  # fmt: skip
    found = {name: getattr(module, name) for module in modules for name in module.__all__}
    (example,) = doctest.DocTestFinder(recurse=False).find(deepsim_envs.Area, globs=found)
    assert doctest.DocTestRunner().run(example, clear_globs=False).failed == 0
    return example.globs


@pytest.mark.parametrize("name", MODULES)
def test_examples_print_what_they_show(
    name: str, names: dict[str, Any], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        package, module = import_module(name.rpartition(".")[0]), import_module(name)
    except ImportError as error:
        pytest.skip(str(error))
    known = {**names, **vars(package), **vars(module)}
    for example in doctest.DocTestFinder().find(module, globs=known):
        assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("name", MET_FIRST)
def test_names_that_a_user_meets_first_have_an_example(name: str) -> None:
    assert ">>> " in getattr(deepsim_train, name).__doc__
