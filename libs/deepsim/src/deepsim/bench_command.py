# SPDX-License-Identifier: Apache-2.0
"""`deepsim bench`: how fast a task runs."""

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
from rich.table import Table

from deepsim_sync import DeepSimError

from .bench import Speed, peak_memory, speeds
from .command_line import AsJson, Root, TaskName, fail
from .task_loading import load_task
from .task_search import find_task


def bench(
    name: TaskName,
    root: Root = Path(),
    seconds: Annotated[float, typer.Option(min=0.01, help="Time of each measurement.")] = 2.0,
    worlds: Annotated[int, typer.Option(min=1, help="Worlds of the vector environment.")] = 4,
    as_json: AsJson = False,
) -> None:
    """Measures how fast a task runs, and how much memory it takes.

    Steps and resets per second, of the bare environment and through views of it.
    """
    console = Console(file=sys.stdout)
    waiting = Console(stderr=True)
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what the task prints is no part of it
            found = find_task(name, root)
            task = load_task(found.folder)
            with waiting.status(f"measuring {task.name}"):
                measured = list(speeds(task, seconds, worlds))
    except DeepSimError as error:
        fail(console, error)
    memory = peak_memory()
    if as_json:
        rows = [asdict(speed) for speed in measured]
        print(json.dumps({"id": found.id, "speeds": rows, "peak_memory_mb": memory}, indent=2))
        return
    console.print(_table(found.id, measured, memory))


def _table(title: str, measured: list[Speed], memory: float | None) -> Table:
    caption = None if memory is None else f"peak memory {memory:.0f} MB"
    table = Table("", "per second", "", "µs each", title=escape(title), caption=caption)
    for column in (table.columns[1], table.columns[3]):
        column.justify = "right"
    for speed in measured:
        each = 1e6 / speed.per_second
        table.add_row(speed.name, f"{speed.per_second:,.0f}", speed.unit, f"{each:,.1f}")
    return table
