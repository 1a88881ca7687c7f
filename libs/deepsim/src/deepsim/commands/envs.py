# SPDX-License-Identifier: Apache-2.0
"""`deepsim envs`: lists and shows tasks."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from deepsim_sync import DeepSimError
from deepsim_train.tasks.loading import load_task
from deepsim_train.tasks.search import TaskFolder, find_task, find_tasks

from .options import AsJson, Root, TaskName, fail

envs = typer.Typer(no_args_is_help=True, help="Shows tasks.")


@envs.command("list")
def list_tasks(
    root: Annotated[Path, typer.Argument(help="The folder to search.")] = Path(),
    as_json: AsJson = False,
) -> None:
    """Lists the tasks below a folder, without running their code."""
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
    """Shows a task's agents, spaces, step times and policies. This runs the task's code."""
    console = Console(file=sys.stdout)
    try:
        with contextlib.redirect_stdout(sys.stderr):  # the task may print
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
            "policies": ", ".join(task.available_policies),
            "agents": {
                name: {
                    "observation": _shown(group.observation_space),
                    "action": _shown(group.action_space),
                }
                for group in environment.groups
                for name in group.names
            },
        }


def _shown(space: Any) -> str:
    """Returns a one-line description of a space; a box has its smallest and largest bound."""
    if not hasattr(space, "low"):
        return " ".join(str(space).split())
    bounds = f"{space.low.min():g} .. {space.high.max():g}"
    return f"{type(space).__name__} {space.shape} {space.dtype}, {bounds}"
