# SPDX-License-Identifier: Apache-2.0
"""The examples in the docstrings show what really happens."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import deepsim_gazebo

PACKAGES = pkgutil.walk_packages(deepsim_gazebo.__path__, "deepsim_gazebo.")
MODULES = [module.name for module in PACKAGES]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    """Examples that need no server run as they are."""
    results = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert results.failed == 0
