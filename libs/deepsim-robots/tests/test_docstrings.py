# SPDX-License-Identifier: Apache-2.0
"""The examples of docstrings give what they show."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from dataclasses import replace

import numpy as np
import pytest

import deepsim_mujoco
import deepsim_robots
import deepsim_spawn
import deepsim_sync

MODULES = [each.name for each in pkgutil.walk_packages(deepsim_robots.__path__, "deepsim_robots.")]
NAMES = {
    **vars(deepsim_sync),
    **vars(deepsim_spawn),
    **vars(deepsim_mujoco),
    **vars(deepsim_robots),
    "np": np,
    "replace": replace,
}


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_docstrings_run(name):
    """Names of the libraries are imported, as a reader of their pages has them."""
    module = importlib.import_module(name)
    assert doctest.testmod(module, globs={**NAMES, **vars(module)}).failed == 0


@pytest.mark.parametrize("name", [each for each in deepsim_robots.__all__ if each[0].isupper()])
def test_public_classes_have_an_example(name):
    found = getattr(deepsim_robots, name)
    if isinstance(found, type) and not issubclass(found, Exception):
        assert ">>> " in (found.__doc__ or "")
