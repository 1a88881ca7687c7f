# SPDX-License-Identifier: Apache-2.0
"""`deepsim check`: checks that a task's environment behaves as trainers expect."""

from __future__ import annotations

import contextlib
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from deepsim_envs.checks import Check, checks_of
from deepsim_sync import DeepSimError
from deepsim_train.checks import trainer_checks
from deepsim_train.tasks.loading import load_task, register_task
from deepsim_train.tasks.search import find_task

from .options import AsJson, Root, TaskName, fail

_COLORS = {"passed": "green", "failed": "red", "skipped": "yellow", "remark": "yellow"}


def check(
    name: TaskName,
    root: Root = Path(),
    steps: Annotated[int, typer.Option(min=4, help="Steps in each of DeepSim's checks.")] = 300,
    as_json: AsJson = False,
) -> None:
    """Checks that a task's environment behaves as trainers expect.

    The same seed must give the same bits, even after a snapshot is restored, and in any number of
    worlds. The installed checkers of Gymnasium, PettingZoo, Stable-Baselines3, RLlib and TorchRL
    must pass without a warning. A remark points out a task that never gives a reward.
    """
    console = Console(file=sys.stdout)
    outcomes: list[Check] = []
    try:
        with contextlib.redirect_stdout(sys.stderr):  # the task may print
            folder = find_task(name, root).folder
            task, id = load_task(folder), register_task(folder)
            for outcome in checks_of(id, task.environment, steps, trainer_checks):
                outcomes.append(outcome)
                if not as_json:
                    _print_outcome(console, outcome)
    except DeepSimError as error:
        fail(console, error)
    if as_json:
        print(json.dumps([asdict(outcome) for outcome in outcomes], indent=2))
    if any(outcome.outcome == "failed" for outcome in outcomes):
        raise typer.Exit(1)


def _print_outcome(console: Console, check: Check) -> None:
    color = _COLORS[check.outcome]
    reason = f": {escape(check.reason)}" if check.reason else ""
    line = f"[{color}]{check.outcome:8}[/{color}]{escape(check.name)}{reason}"
    console.print(line, highlight=False, soft_wrap=True)
