# SPDX-License-Identifier: Apache-2.0
"""The examples of the README and of docstrings print what they show."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import numpy as np
import pytest

import deepsim_fx
import deepsim_math
import deepsim_sync
import deepsim_sync.testing

BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMES = {
    **{
        name: value
        for each in (deepsim_math, deepsim_sync, deepsim_fx, deepsim_sync.testing)
        for name, value in vars(each).items()
    },
    "np": np,
}
MODULES = [each.name for each in pkgutil.walk_packages(deepsim_fx.__path__, "deepsim_fx.")]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_docstrings_run(name):
    """Names of deepsim_math, deepsim_sync, its testing tools and deepsim_fx are imported."""
    module = importlib.import_module(name)
    assert doctest.testmod(module, globs={**NAMES, **vars(module)}).failed == 0


def test_the_readme_prints_what_it_shows(capsys):
    blocks = BLOCK.findall(Path(__file__).parents[1].joinpath("README.md").read_text())
    names: dict[str, object] = {}
    outputs = 0
    for language, text in blocks:
        if language == "python":
            exec(text, names)
        else:
            assert capsys.readouterr().out == text
            outputs += 1
    assert outputs
