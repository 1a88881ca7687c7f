# SPDX-License-Identifier: Apache-2.0
"""The README and the docstrings show what really happens."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import pkgutil
import re
from pathlib import Path

import pytest

import deepsim_btree

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
MODULES = [module.name for module in pkgutil.iter_modules(deepsim_btree.__path__)]


def test_readme_examples():
    """The Python blocks run one after another; a text block is the output of the one before it."""
    blocks = re.findall(r"^```(python|text)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert any(language == "text" for language, _ in blocks)
    names: dict[str, object] = {"__name__": "readme"}
    output = ""
    for language, block in blocks:
        if language == "python":
            assert output == "", "the block before this one prints what the README does not show"
            stream = io.StringIO()
            with contextlib.redirect_stdout(stream):
                exec(block, names)
            output = stream.getvalue()
        else:
            assert output.rstrip() == block.rstrip()
            output = ""
    assert output == ""


def test_readme_names_every_node():
    """The table of types is complete."""
    assert [name for name in deepsim_btree.__all__ if f"`{name}" not in README] == []


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name):
    """Examples in docstrings give what they say."""
    module = importlib.import_module(f"deepsim_btree.{name}")
    names = {**vars(module), **{n: getattr(deepsim_btree, n) for n in deepsim_btree.__all__}}
    assert doctest.testmod(module, globs=names).failed == 0
