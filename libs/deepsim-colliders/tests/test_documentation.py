# SPDX-License-Identifier: Apache-2.0
"""The examples of the README and the pages give what they show; all public names are named."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest

import deepsim_colliders

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]
SOURCE = ROOT / "src"
MODULES = [
    ".".join(path.relative_to(SOURCE).with_suffix("").parts)
    for path in sorted(SOURCE.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages(page):
    if page.stem == "lidar-for-1000-worlds":
        vector = pytest.importorskip("gymnasium", minversion="1.1").vector
        assert vector.VectorEnv
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_readme_names_everything_public():
    readme = README.read_text(encoding="utf-8")
    assert [name for name in deepsim_colliders.__all__ if f"`{name}`" not in readme] == []
