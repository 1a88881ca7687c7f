# SPDX-License-Identifier: Apache-2.0
"""The first example of the README, with a simulated server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

README = Path(__file__).parents[3].joinpath("README.md").read_text(encoding="utf-8")


def test_the_example_prints_what_the_readme_shows(
    network: Any,
    server: Any,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """tests/gazebo runs it on Gazebo."""
    monkeypatch.setenv("ROS_MASTER_URI", network.uri)
    code, output = re.findall(r"^```(?:python|text)\n(.*?)^```$", README, re.M | re.S)[:2]
    server.shapes[re.search('"""(.*?)"""', code, re.S)[1]] = server.shapes["free"]  # type: ignore[index]
    exec(code, {"__name__": "readme"})
    assert capsys.readouterr().out == output
