# SPDX-License-Identifier: Apache-2.0
"""`deepsim envs` and `deepsim check`: what tasks there are, and whether they hold."""

from __future__ import annotations

import contextlib
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from deepsim_envs.checks import Check, checks_of
from deepsim_sync import DeepSimError

from .command_line import AsJson, Root, TaskName, fail
from .registration import register_task
from .task_loading import load_task
from .task_search import TaskFolder, find_task, find_tasks

envs = typer.Typer(no_args_is_help=True, help="Shows tasks.")

_COLORS = {"passed": "green", "failed": "red", "skipped": "yellow"}


@envs.command("list")
def list_tasks(
    root: Annotated[Path, typer.Argument(help="Where to look.")] = Path(),
    as_json: AsJson = False,
) -> None:
    """Lists the tasks in a folder and below it, without running their code."""
    console = Console()
    try:
        tasks = find_tasks(root)
    except DeepSimError as error:
        fail(console, error)
    if as_json:
        rows = [{"id": t.id, "folder": str(t.folder), "summary": t.summary} for t in tasks]
        print(json.dumps(rows, indent=2))
        return
    if not tasks:
        console.print(f"no tasks in {root}: a task is a folder whose __init__.py defines TASK")
        return
    table = Table("id", "folder", "summary")
    for task in tasks:
        table.add_row(task.id, escape(str(task.folder)), escape(task.summary))
    console.print(table)


@envs.command("show")
def show_task(
    name: TaskName,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Shows a task's agents, spaces, times and policies; runs its code."""
    console = Console(file=sys.stdout)
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what the task prints is no part of it
            facts = _facts(find_task(name, root))
    except DeepSimError as error:
        fail(console, error)
    if as_json:
        print(json.dumps(facts, indent=2))
        return
    table = Table(show_header=False, title=facts["id"])
    agents = facts.pop("agents")
    for key, value in facts.items():
        table.add_row(key.replace("_", " "), escape(str(value)))
    for agent, spaces in agents.items():
        for key, space in spaces.items():
            table.add_row(f"{agent} {key}s", escape(space))
    console.print(table)


def check(
    name: TaskName,
    root: Root = Path(),
    steps: Annotated[int, typer.Option(min=4, help="Steps of each of our own checks.")] = 300,
    as_json: AsJson = False,
) -> None:
    """Checks that a task keeps what environments promise.

    The same seed gives the same bits, also from snapshots and in vector worlds; and the checkers of
    Gymnasium, PettingZoo, Stable-Baselines3, RLlib and TorchRL, where these are installed, find
    nothing, not even to warn of.
    """
    console = Console(file=sys.stdout)
    outcomes: list[Check] = []
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what the task prints is no part of it
            folder = find_task(name, root).folder
            task = load_task(folder)
            for outcome in checks_of(register_task(folder), task.environment, steps):
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


def _facts(found: TaskFolder) -> dict[str, Any]:
    task = load_task(found.folder)
    with task.environment(0) as environment:
        timestep = environment.world.timestep
        limit = environment.max_episode_steps
        return {
            "id": found.id,
            "folder": str(found.folder),
            "summary": found.summary,
            "physics_step_s": timestep,
            "step_s": timestep * environment.frame_skip,
            "max_episode_steps": limit,
            "policies": ", ".join(task.policies),
            "agents": {
                name: {
                    "observation": _shown(environment.observation_space[name]),
                    "action": _shown(environment.action_space[name]),
                }
                for name in environment.agents
            },
        }


def _shown(space: Any) -> str:
    """A space in one line, with the widest bounds of a box."""
    if not hasattr(space, "low"):
        return " ".join(str(space).split())
    bounds = f"{space.low.min():g} .. {space.high.max():g}"
    return f"{type(space).__name__} {space.shape} {space.dtype}, {bounds}"
