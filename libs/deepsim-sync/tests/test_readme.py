# SPDX-License-Identifier: Apache-2.0
"""The README shows what really happens, and names everything."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import deepsim_sync

README = Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(python|text)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


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
