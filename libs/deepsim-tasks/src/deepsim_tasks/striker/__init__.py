# SPDX-License-Identifier: Apache-2.0
"""One robot of robocup scores against a static keeper, from anywhere in its half."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from deepsim_tasks import robocup

make = partial(robocup.make, robots=1, opponents="static", drill=True, seconds=15.0)
TASK = replace(robocup.TASK, name="striker", make=make)
