# SPDX-License-Identifier: Apache-2.0
"""`deepsim bench`: measures the speed of a task."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from deepsim_sync import DeepSimError, UnsupportedError
from deepsim_train.tasks.loading import load_task
from deepsim_train.tasks.search import find_task

from .options import AsJson, Root, TaskName, fail
from .speeds import Speed, peak_memory, speeds

_WORLDS = (1, 16, 256)


def bench(
    name: TaskName,
    root: Root = Path(),
    seconds: Annotated[float, typer.Option(min=0.01, help="Time of each measurement, s.")] = 2.0,
    worlds: Annotated[
        list[int] | None,
        typer.Option(min=1, help="A number of worlds; repeatable. Default: 1, 16 and 256."),
    ] = None,
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
        with contextlib.redirect_stdout(sys.stderr):  # the task may print
            found = find_task(name, root)
            task = load_task(found.folder)
            for count in worlds or _WORLDS:
                with waiting.status(f"measuring {task.name}, W = {count}"):
                    try:
                        measured += speeds(task, seconds, count)
                    except UnsupportedError as error:
                        if not measured:
                            raise
                        refusal = refusal or str(error)
    except DeepSimError as error:
        fail(console, error)
    memory = peak_memory()
    if as_json:
        rows = [asdict(speed) for speed in measured]
        print(json.dumps({"id": found.id, "speeds": rows, "peak_memory_mb": memory}, indent=2))
        return
    console.print(_table(found.id, measured, memory))
    if refusal:
        console.print(refusal, highlight=False, soft_wrap=True, markup=False)


def _table(title: str, measured: Sequence[Speed], memory: float | None) -> Table:
    caption = None if memory is None else f"peak memory {memory:.0f} MB"
    table = Table("", "per second", title=escape(title), caption=caption)
    columns = list(dict.fromkeys(speed.worlds for speed in measured))
    for worlds in columns:
        table.add_column(f"W = {worlds}", justify="right")
    rates = {(speed.name, speed.worlds): f"{speed.per_second:,.0f}" for speed in measured}
    for name, unit in {speed.name: speed.unit for speed in measured}.items():
        table.add_row(name, unit, *(rates.get((name, worlds), "") for worlds in columns))
    return table
