# SPDX-License-Identifier: Apache-2.0
"""The examples of the docstrings run, and print what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import deepsim_viewer

MODULES = [each.name for each in pkgutil.walk_packages(deepsim_viewer.__path__, "deepsim_viewer.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name, tmp_path, monkeypatch):
    """Files that they write go to an empty folder."""
    monkeypatch.chdir(tmp_path)
    assert doctest.testmod(importlib.import_module(name)).failed == 0
