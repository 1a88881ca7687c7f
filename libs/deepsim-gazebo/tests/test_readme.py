# SPDX-License-Identifier: Apache-2.0
"""The examples of the README print the output that it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")


def test_the_message_example_prints_what_the_readme_shows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The text block after a Python block is its output; the first one needs a server."""
    blocks = re.findall(r"^```(python|text)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert [language for language, _ in blocks] == ["python", "text"] * 2
    (_, code), (_, output) = blocks[2:]
    exec(code, {"__name__": "readme"})
    assert capsys.readouterr().out == output
