# SPDX-License-Identifier: Apache-2.0
"""The examples run and print what they should."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"

OFF_TRACK = """\
wholly on the road: 398
partly: 592
off: 10
cars by wheels on the road: [17, 49, 190, 219, 525]
"""

WAYPOINTS = """\
car 0: waypoint 0, forward
car 1: waypoint 0, the wrong way
car 2: none
car 3: none
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("t01_off_track", OFF_TRACK),
        ("t02_waypoints", WAYPOINTS),
    ],
)
def test_example(name, expected, capsys):
    runpy.run_path(str(EXAMPLES / f"{name}.py"))
    assert capsys.readouterr().out == expected


def test_every_example_is_tested():
    assert sorted(path.stem for path in EXAMPLES.glob("*.py")) == [
        "t01_off_track",
        "t02_waypoints",
    ]
