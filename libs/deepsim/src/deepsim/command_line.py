# SPDX-License-Identifier: Apache-2.0
"""What the commands that take a task have in common: how it is named, and how they fail."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Annotated, NoReturn, TypeAlias

import typer
from rich.console import Console
from rich.markup import escape

from deepsim_sync import CallbackError

TaskName: TypeAlias = Annotated[
    str, typer.Argument(help="The task: a folder, its name, or an id as DeepSim/Racetrack-v0.")
]
Root: TypeAlias = Annotated[Path, typer.Option("--in", help="Where a name or an id is looked for.")]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def fail(console: Console, error: Exception) -> NoReturn:
    """Ends a command with one line; an error of the user's own code comes with its traceback.

    Raises:
        typer.Exit: Always.
    """
    if isinstance(error, CallbackError):
        _print_origin(console, error)
    console.print(f"[red]error:[/red] {escape(str(error))}", highlight=False, soft_wrap=True)
    raise typer.Exit(1) from error


def _print_origin(console: Console, error: CallbackError) -> None:
    """Prints the traceback of what the user's callback raised."""
    origin = error.__cause__
    if origin is None:
        return
    # The outermost frame is the library's, where it calls the user's.
    frames = origin.__traceback__ and origin.__traceback__.tb_next
    text = "".join(traceback.format_exception(type(origin), origin, frames))
    console.out(text.rstrip(), highlight=False)
