# SPDX-License-Identifier: Apache-2.0
"""Every example of the README and the docstrings gives the output that it shows."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from contextvars import copy_context
from pathlib import Path

import numpy as np
import pytest

import deepsim_math
import deepsim_sync
import deepsim_sync.testing

README = Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(python|text)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
NAMES = {
    **{name: value for each in (deepsim_math, deepsim_sync) for name, value in vars(each).items()},
    **vars(deepsim_sync.testing),
    "np": np,
}
MODULES = [each.name for each in pkgutil.walk_packages(deepsim_sync.__path__, "deepsim_sync.")]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_docstrings_run(name: str) -> None:
    """Names of deepsim_math, deepsim_sync and its testing tools are imported."""
    module = importlib.import_module(name)
    names = {**NAMES, **vars(module)}
    results = copy_context().run(doctest.testmod, module, globs=names)  # some make a world current
    assert results.failed == 0


def test_the_examples_print_what_the_readme_shows(capsys: pytest.CaptureFixture[str]) -> None:
    """Python blocks run one after another; the text block after each is its output."""
    assert [language for language, _ in BLOCKS] == ["python", "text"] * 3
    names: dict[str, object] = {"__name__": "readme"}
    for language, block in BLOCKS:
        if language == "python":
            exec(block, names)
        else:
            assert capsys.readouterr().out == block


def test_the_examples_are_short() -> None:
    assert all(block.count("\n") < 20 for _, block in BLOCKS)


def test_the_readme_names_every_type() -> None:
    """The table of types is complete."""
    assert [name for name in deepsim_sync.__all__ if f"`{name}" not in README] == []
