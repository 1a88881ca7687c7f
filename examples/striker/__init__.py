# SPDX-License-Identifier: Apache-2.0
"""One robot of examples/robocup scores against a static keeper, from anywhere in its half."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from deepsim import load_task

_ROBOCUP = load_task(Path(__file__).parents[1] / "robocup")

make = partial(_ROBOCUP.make, robots=1, opponents="static", drill=True, seconds=15.0)
TASK = replace(_ROBOCUP, name="striker", make=make)
