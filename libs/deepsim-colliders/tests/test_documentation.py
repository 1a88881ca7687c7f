# SPDX-License-Identifier: Apache-2.0
"""The README's examples give what they show, and it names everything public."""

from __future__ import annotations

import doctest
from pathlib import Path

import deepsim_colliders

README = Path(__file__).parent.parent / "README.md"


def test_readme():
    result = doctest.testfile(str(README), module_relative=False, encoding="utf-8")
    assert result.attempted > 0
    assert result.failed == 0


def test_readme_names_everything_public():
    readme = README.read_text(encoding="utf-8")
    assert [name for name in deepsim_colliders.__all__ if f"`{name}`" not in readme] == []
