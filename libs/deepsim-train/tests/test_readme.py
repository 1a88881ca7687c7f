# SPDX-License-Identifier: Apache-2.0
"""The examples of the README print what it says they print."""

from __future__ import annotations

import re
from pathlib import Path

BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


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
