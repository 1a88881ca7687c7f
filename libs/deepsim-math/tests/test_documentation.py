# SPDX-License-Identifier: Apache-2.0
"""Every example of the README, the other pages and the docstrings gives what it shows."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import deepsim_math

LIBRARY = Path(__file__).parent.parent
MODULES = [
    module.name
    for module in pkgutil.walk_packages(deepsim_math.__path__, "deepsim_math.")
    if not module.name.endswith("._typing")
]


@pytest.mark.parametrize("page", ["README.md", "docs/conventions.md", "docs/coming-from.md"])
def test_pages(page):
    result = doctest.testfile(str(LIBRARY / page), module_relative=False, encoding="utf-8")
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    module = importlib.import_module(name)
    names = {**vars(deepsim_math), **vars(module)}
    assert doctest.testmod(module, globs=names).failed == 0


def test_readme_names_everything_public():
    readme = (LIBRARY / "README.md").read_text(encoding="utf-8")
    assert [name for name in deepsim_math.__all__ if f"`{name}`" not in readme] == []
