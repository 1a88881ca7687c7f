# SPDX-License-Identifier: Apache-2.0
"""Arguments that several commands share, and the end of a command that fails."""

from __future__ import annotations

import traceback
from pathlib import Path
from types import TracebackType
from typing import Annotated, NoReturn, TypeAlias

import typer
from rich.console import Console
from rich.markup import escape

from deepsim_sync import CallbackError
from deepsim_train.task_code import TaskCodeError
from deepsim_train.tasks.loading import MODULE_PREFIX

TaskName: TypeAlias = Annotated[
    str, typer.Argument(help="The task: a folder, its name, or an id such as DeepSim/Racetrack-v0.")
]
Root: TypeAlias = Annotated[Path, typer.Option("--in", help="The folder to search for the name.")]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Worlds: TypeAlias = Annotated[int, typer.Option(min=1, help="Number of worlds to step together.")]
Namespace: TypeAlias = Annotated[str, typer.Option("--namespace", help="The name of the world.")]
BackendName: TypeAlias = Annotated[
    str, typer.Option(help="The simulator: mujoco, or gazebo, which must already run.")
]


INTERRUPTED = 130
"""The exit status of a command that Ctrl-C ended, as in shells."""

# These call the task's code.
_LIBRARIES = ("deepsim", "deepsim_envs", "deepsim_sync", "deepsim_train", "importlib")


def fail(console: Console, error: Exception) -> NoReturn:
    """Ends a command with a one-line message, below the traceback of the task's code if any.

    Raises:
        typer.Exit: Always.
    """
    if isinstance(error, (CallbackError, TaskCodeError)):
        _print_origin(console, error)
    else:
        _print_task_frames(console, error)
    console.print(f"[red]error:[/red] {escape(str(error))}", highlight=False, soft_wrap=True)
    raise typer.Exit(1) from error


def _print_origin(console: Console, error: Exception) -> None:
    """Prints the traceback of an exception in the task's code, without the libraries' frames."""
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


def _print_task_frames(console: Console, error: BaseException) -> None:
    """Prints the frames of the task's code in the traceback of a library's error, if any."""
    for each in (error, error.__cause__):
        frames = [
            frame
            for frame in traceback.walk_tb(each.__traceback__ if each is not None else None)
            if str(frame[0].f_globals.get("__name__", "")).startswith(MODULE_PREFIX)
        ]
        if frames:
            text = "".join(traceback.StackSummary.extract(iter(frames)).format())
            console.out(f"Traceback (most recent call last):\n{text.rstrip()}", highlight=False)
            return
