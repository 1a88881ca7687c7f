# SPDX-License-Identifier: Apache-2.0
"""What the commands that take a task have in common: how it is named, and how they fail."""

from __future__ import annotations

import traceback
from pathlib import Path
from types import TracebackType
from typing import Annotated, NoReturn, TypeAlias

import typer
from rich.console import Console
from rich.markup import escape

from deepsim_sync import CallbackError

from .task import TaskCodeError

TaskName: TypeAlias = Annotated[
    str, typer.Argument(help="The task: a folder, its name, or an id as DeepSim/Racetrack-v0.")
]
Root: TypeAlias = Annotated[Path, typer.Option("--in", help="Where a name or an id is looked for.")]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON.")]


INTERRUPTED = 130
"""Exit status of a command that was ended by Ctrl-C, as of shells."""

_LIBRARIES = ("deepsim", "deepsim_envs", "deepsim_sync", "importlib")  # which call the user's code


def fail(console: Console, error: Exception) -> NoReturn:
    """Ends a command with one line; an error of the user's own code comes with its traceback.

    Raises:
        typer.Exit: Always.
    """
    if isinstance(error, (CallbackError, TaskCodeError)):
        _print_origin(console, error)
    console.print(f"[red]error:[/red] {escape(str(error))}", highlight=False, soft_wrap=True)
    raise typer.Exit(1) from error


def _print_origin(console: Console, error: Exception) -> None:
    """Prints the traceback of what the user's code raised, from its own first frame on."""
    origin = error.__cause__
    if origin is None:
        return
    frames = origin.__traceback__
    while frames is not None and _is_of_library(frames):
        frames = frames.tb_next
    text = "".join(traceback.format_exception(type(origin), origin, frames))
    console.out(text.rstrip(), highlight=False)


def _is_of_library(frame: TracebackType) -> bool:
    module = str(frame.tb_frame.f_globals.get("__name__", ""))
    return module.partition(".")[0] in _LIBRARIES
