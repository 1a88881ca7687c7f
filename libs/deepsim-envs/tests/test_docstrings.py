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

MODULES = sorted(
    module.name for module in pkgutil.walk_packages(deepsim_envs.__path__, "deepsim_envs.")
)
MET_FIRST = [
    "AbstractAgent",
    "Agents",
    "Area",
    "AreaInterface",
    "ArrayPolicy",
    "Environment",
    "GymnasiumEnv",
    "GymnasiumVectorEnv",
    "JoinedEnvironment",
    "Recorder",
    "TrajectoryCollector",
    "action_box",
    "digest",
    "make_worlds",
    "register",
    "replay",
]


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """The names that a reader has imported, and those of the tasks in two of the examples."""
    modules = deepsim_math, deepsim_sync, deepsim_sync.testing, gymnasium.spaces, deepsim_envs
    found = {name: getattr(module, name) for module in modules for name in module.__all__}
    for task in (deepsim_envs.Area, deepsim_envs.AbstractAgent):
        (example,) = doctest.DocTestFinder(recurse=False).find(task, globs=found)
        assert doctest.DocTestRunner().run(example, clear_globs=False).failed == 0
        found = example.globs
    return found


@pytest.mark.parametrize("name", MODULES)
def test_examples_print_what_they_show(
    name: str, names: dict[str, Any], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        package, module = import_module(name.rpartition(".")[0]), import_module(name)
    except ImportError as error:
        if "pip install" not in str(error):
            raise
        pytest.skip(str(error))
    known = {**names, **vars(package), **vars(module)}
    for example in doctest.DocTestFinder().find(module, globs=known):
        assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("name", MET_FIRST)
def test_names_that_a_user_meets_first_have_an_example(name: str) -> None:
    assert ">>> " in getattr(deepsim_envs, name).__doc__
