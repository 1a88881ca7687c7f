# SPDX-License-Identifier: Apache-2.0
"""`deepsim envs`, `check`, `new` and `copy`: lists, shows, checks and begins tasks."""

from __future__ import annotations

import contextlib
import re
import shutil
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from deepsim.output import fields, print_json, say, table
from deepsim_envs.checks import Check, checks_of
from deepsim_spawn.backends import DEFAULT, Backend
from deepsim_sync import DeepSimError
from deepsim_train.checks import trainer_checks
from deepsim_train.task_code import TaskError
from deepsim_train.tasks.facts import task_facts
from deepsim_train.tasks.loading import load_task, register_task
from deepsim_train.tasks.search import find_task, find_tasks, installed_tasks

from .command_help import example, group
from .options import AsJson, BackendName, Root, TaskName, fail

envs = group("Lists and shows tasks.")


@envs.command("list", epilog=example("envs list", "your-own-task.md"))
def list_tasks(
    root: Annotated[
        Path | None,
        typer.Argument(help="The folder to search; by default this one and installed packages."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Lists your tasks and those of installed packages.

    Their code is not run.
    """
    console = Console()
    try:
        tasks = find_tasks(root) if root else [*find_tasks("."), *installed_tasks()]
    except DeepSimError as error:
        fail(console, error)
    if as_json:
        facts = ("name", "id", "folder", "summary", "package")
        print_json([{fact: str(getattr(task, fact)) for fact in facts} for task in tasks])
        return
    if not tasks:
        where = root or "this folder"
        say(console, f"no tasks in {where}: a task is a folder whose __init__.py defines TASK")
        return
    rows = [{"task": t.name, "from": t.package or str(t.folder), "": t.summary} for t in tasks]
    console.print(table(rows, whole=["task"]))


@envs.command("show", epilog=example("envs show walk", "your-own-task.md"))
def show_task(
    name: TaskName = "",
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Shows a task's agents, spaces, step times and policies. This runs the task's code."""
    console = Console(file=sys.stdout)
    try:
        with contextlib.redirect_stdout(sys.stderr):  # the task may print
            facts = task_facts(find_task(name, root))
    except DeepSimError as error:
        fail(console, error)
    if as_json:
        print_json(facts)
        return
    agents = facts.pop("agents")
    rows = [(key.replace("_", " "), value) for key, value in facts.items()]
    for agent, spaces in agents.items():
        rows += ((f"{agent} {key}s", space) for key, space in spaces.items())
    console.print(fields(rows))


def check(
    name: TaskName = "",
    root: Root = Path(),
    steps: Annotated[int, typer.Option(min=4, help="Steps in each of DeepSim's checks.")] = 300,
    backend: BackendName = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Checks that a task's environment behaves as trainers expect.

    The same seed must give the same bits, even after a snapshot is restored, and in any number of
    worlds. The installed checkers of Gymnasium, PettingZoo, Stable-Baselines3, RLlib and TorchRL
    must pass. Each warning is listed once; a remark points out a task that never gives a reward.
    """
    console = Console(file=sys.stdout)
    outcomes: list[Check] = []
    try:
        with contextlib.redirect_stdout(sys.stderr), Backend(backend):  # the task may print
            found = find_task(name, root)
            task, id = load_task(found), register_task(found)
            for outcome in checks_of(id, task.environment, steps, trainer_checks):
                outcomes.append(outcome)
                if not as_json:
                    reason = f": {outcome.reason}" if outcome.reason else ""
                    say(console, f"{outcome.name}{reason}", outcome.outcome)
    except DeepSimError as error:
        fail(console, error)
    if as_json:
        print_json([asdict(outcome) for outcome in outcomes])
    if any(outcome.outcome == "failed" for outcome in outcomes):
        raise typer.Exit(1)


_TEMPLATE = Path(__file__).parents[1] / "template"
_SUFFIX = "-tpl"  # of its Python files, which are no modules of this package
_IGNORED = shutil.ignore_patterns("__pycache__", "*.pyc")


def new(
    name: Annotated[str, typer.Argument(help="The name of the task, and of its new folder.")],
) -> None:
    """Begins a task of your own: a small one that works, with its test."""
    console = Console()
    try:
        if not re.fullmatch(r"[a-z]\w*", name, re.ASCII):
            raise TaskError(
                f"the name of a task has small letters, digits and _, such as two_cars; got {name}"
            )
        folder = _copy(_TEMPLATE, Path(name))
        for file in folder.glob(f"*{_SUFFIX}"):
            file = file.rename(file.with_name(file.name.removesuffix(_SUFFIX)))
            text = file.read_text(encoding="utf-8").replace('name="my_task"', f'name="{name}"')
            file.write_text(text, encoding="utf-8")
    except (DeepSimError, OSError) as error:
        fail(console, error)
    say(console, f"wrote {folder}; to run it: deepsim run {name} --policy seek")
    say(console, f"to test it: pip install pytest; python -m pytest {name}")


def copy(
    name: TaskName = "",
    root: Root = Path(),
    to: Annotated[
        Path | None, typer.Option(help="The new folder; by default the name of the task.")
    ] = None,
) -> None:
    """Copies a task here, to change it.

    Afterwards its name means the copy, in this folder.
    """
    console = Console()
    try:
        found = find_task(name, root)
        folder = _copy(found.folder, to if to is not None else Path(found.name))
    except (DeepSimError, OSError) as error:
        fail(console, error)
    say(console, f"wrote {folder}")


def _copy(source: Path, folder: Path) -> Path:
    if folder.exists():
        raise TaskError(f"{folder} exists already: choose another name, or remove it")
    return Path(shutil.copytree(source, folder, ignore=_IGNORED))
