# SPDX-License-Identifier: Apache-2.0
"""`deepsim bench`: measures the speed of a task."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from deepsim.output import print_json, say, table
from deepsim_spawn.backends import DEFAULT, Backend
from deepsim_sync import DeepSimError, UnsupportedError
from deepsim_train.tasks.facts import Speed, peak_memory, speeds
from deepsim_train.tasks.loading import load_task
from deepsim_train.tasks.search import find_task

from .options import AsJson, BackendName, Root, TaskName, fail

_WORLDS = (1, 16, 256)


def bench(
    name: TaskName = "",
    root: Root = Path(),
    seconds: Annotated[float, typer.Option(min=0.01, help="Time of each measurement, s.")] = 2.0,
    worlds: Annotated[
        list[int] | None,
        typer.Option(min=1, help="A number of worlds; repeatable. Default: 1, 16 and 256."),
    ] = None,
    backend: BackendName = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Measures the speed of a task in one world and in many.

    Shows the steps and resets per second of the environment alone, its steps per second through a
    Gymnasium view, and the peak memory. A step of W worlds counts as W steps.
    """
    console = Console(file=sys.stdout)
    waiting = Console(stderr=True)
    measured: list[Speed] = []
    refusal = ""
    try:
        with contextlib.redirect_stdout(sys.stderr), Backend(backend):  # the task may print
            found = find_task(name, root)
            task = load_task(found)
            for number in worlds or _WORLDS:
                with waiting.status(f"measuring {task.name}, W = {number}"):
                    try:
                        measured += speeds(task, seconds, number)
                    except UnsupportedError as error:
                        if not measured:
                            raise
                        refusal = refusal or str(error)
    except DeepSimError as error:
        fail(console, error)
    memory = peak_memory()
    if as_json:
        rows = [asdict(speed) for speed in measured]
        print_json({"id": found.id, "speeds": rows, "peak_memory_mb": memory})
        return
    console.print(_table(found.id, measured, memory))
    if refusal:
        say(console, refusal)


def _table(title: str, measured: Sequence[Speed], memory: float | None) -> Table:
    columns = list(dict.fromkeys(f"W = {speed.worlds}" for speed in measured))
    rows: dict[str, dict[str, Any]] = {}
    for speed in measured:
        empty = {"": speed.name, "per second": speed.unit, **dict.fromkeys(columns, "")}
        row = rows.setdefault(speed.name, empty)
        row[f"W = {speed.worlds}"] = f"{speed.per_second:,.0f}"
    caption = "" if memory is None else f"peak memory {memory:.0f} MB"
    return table(list(rows.values()), title=title, caption=caption, right=columns)
