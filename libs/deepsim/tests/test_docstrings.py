# SPDX-License-Identifier: Apache-2.0
"""The examples of the docstrings run, and print what they say."""

from __future__ import annotations

import doctest
import importlib

import pytest


@pytest.mark.parametrize(
    "name", ["backend", "policies.trained_policy", "tasks.task", "training.config"]
)
def test_examples_of_docstrings(name):
    """Those that need no files."""
    found = doctest.testmod(importlib.import_module(f"deepsim.{name}"))
    assert found.attempted > 0
    assert found.failed == 0
