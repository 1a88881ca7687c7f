# SPDX-License-Identifier: Apache-2.0
"""The examples of the documentation run, and print what they say."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import numpy as np
import pytest

import deepsim_math
import deepsim_spawn
import deepsim_sync

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", README, re.DOTALL)
MODULES = [
    ".".join(path.relative_to(SOURCE).with_suffix("").parts)
    for path in sorted(SOURCE.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]
NAMES = {**vars(deepsim_math), **vars(deepsim_sync), **vars(deepsim_spawn), "np": np}


def test_the_readme_has_examples_and_each_shows_its_output():
    assert README.count("```python") == len(EXAMPLES) == 1


@pytest.mark.parametrize(("code", "output"), EXAMPLES)
def test_an_example_prints_what_the_readme_says(capsys, code, output):
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == output


def test_every_public_name_is_in_the_readme():
    assert [name for name in deepsim_spawn.__all__ if f"`{name}`" not in README] == []


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_docstrings_give_what_they_show(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module, globs={**NAMES, **vars(module)}).failed == 0
