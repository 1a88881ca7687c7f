# SPDX-License-Identifier: Apache-2.0
"""The examples of the README print the output that it shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

README = Path(__file__).parents[3].joinpath("README.md").read_text(encoding="utf-8")


def test_the_examples_print_what_the_readme_shows(
    network: Any,
    server: Any,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Here with a simulated server; tests/gazebo runs the first one on Gazebo."""
    monkeypatch.setenv("ROS_MASTER_URI", network.uri)
    blocks = re.findall(r"^```(?:python|text)\n(.*?)^```$", README, re.M | re.S)
    model = re.search('"""(.*?)"""', blocks[0], re.S)
    assert model is not None
    server.shapes[model[1]] = server.shapes["free"]
    for code, output in (blocks[:2], blocks[2:]):
        exec(code, {"__name__": "readme"})
        assert capsys.readouterr().out == output
