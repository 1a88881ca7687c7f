# SPDX-License-Identifier: Apache-2.0
"""Two robots of robocup score against two that stand, from anywhere in their half."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from deepsim_tasks import robocup

make = partial(robocup.make, robots=2, opponents="standing", drill=True, seconds=15.0)
TASK = replace(
    robocup.TASK, name="duo", make=make, training={**robocup.TASK.training, "steps": 3_000_000}
)
