# SPDX-License-Identifier: Apache-2.0
"""The examples of the docstrings run, and print what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest
from gymnasium import spaces

import deepsim_envs
import deepsim_math
import deepsim_sync
import deepsim_sync.testing
import deepsim_viewer

MODULES = [each.name for each in pkgutil.walk_packages(deepsim_viewer.__path__, "deepsim_viewer.")]


@pytest.fixture(scope="module")
def make():
    """The function that makes the environment of the example of `Area`."""
    modules = deepsim_math, deepsim_sync, deepsim_sync.testing, deepsim_envs
    known = {name: getattr(module, name) for module in modules for name in module.__all__}
    known |= {"Box": spaces.Box}
    finder = doctest.DocTestFinder(recurse=False)
    (example,) = finder.find(deepsim_envs.Area, globs=known)
    assert doctest.DocTestRunner().run(example, clear_globs=False).failed == 0
    return example.globs["make"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name, make, tmp_path, monkeypatch):
    """Files that they write go to an empty folder."""
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(name)
    assert doctest.testmod(module, extraglobs={"make": make}).failed == 0
