# SPDX-License-Identifier: Apache-2.0
"""Two robots of examples/robocup score against two that stand, from anywhere in their half."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from deepsim import load_task

_ROBOCUP = load_task(Path(__file__).parents[1] / "robocup")

make = partial(_ROBOCUP.make, robots=2, opponents="standing", drill=True, seconds=15.0)
TASK = replace(_ROBOCUP, name="duo", make=make, training={**_ROBOCUP.training, "steps": 3_000_000})
