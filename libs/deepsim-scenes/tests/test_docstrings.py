# SPDX-License-Identifier: Apache-2.0
"""The examples of the docstrings run, and print what they say."""

from __future__ import annotations

import doctest
import importlib

import pytest


@pytest.mark.parametrize(
    "name",
    [
        "dynamic.run",
        "models.downloads",
        "models.model_class",
        "models.model_list",
        "scene",
        "settling",
    ],
)
def test_examples_of_docstrings(name):
    """Those that need no Scenic."""
    found = doctest.testmod(importlib.import_module(f"deepsim_scenes.{name}"))
    assert found.attempted > 0
    assert found.failed == 0
