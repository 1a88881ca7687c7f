# SPDX-License-Identifier: Apache-2.0
"""The README is short; tests/documentation.py of the repository runs its examples."""

from __future__ import annotations

import re
from pathlib import Path

README = Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(python|text)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_the_examples_are_short() -> None:
    """Each fits on a screen, and shows what it prints."""
    assert [language for language, _ in BLOCKS] == ["python", "text"] * 3
    assert all(block.count("\n") < 20 for _, block in BLOCKS)
