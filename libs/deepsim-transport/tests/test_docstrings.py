# SPDX-License-Identifier: Apache-2.0
"""The examples of the docstrings run, and print what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import deepsim_transport

MODULES = [
    each.name for each in pkgutil.walk_packages(deepsim_transport.__path__, "deepsim_transport.")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name, master, monkeypatch):
    """They find a master where the environment says."""
    monkeypatch.setenv("GAZEBO_MASTER_URI", f"http://{master.host}:{master.port}")
    found = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert found.failed == 0
