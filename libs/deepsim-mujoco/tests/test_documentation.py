# SPDX-License-Identifier: Apache-2.0
"""Every example of the README and the docstrings gives the output that it shows."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from deepsim_mujoco import simulator

README = Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(python|text)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_the_example_prints_what_the_readme_shows(capsys: pytest.CaptureFixture[str]) -> None:
    assert [language for language, _ in BLOCKS] == ["python", "text"]
    exec(BLOCKS[0][1], {"__name__": "readme"})
    assert capsys.readouterr().out == BLOCKS[1][1]


def test_the_example_of_the_simulator_runs() -> None:
    result = doctest.testmod(simulator)
    assert result.attempted > 0
    assert result.failed == 0
