# SPDX-License-Identifier: Apache-2.0
"""Arguments that several commands share, and how a command ends that fails or is stopped."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, TracebackType
from typing import Annotated, Any, NoReturn, TypeAlias

import typer
from rich.console import Console
from rich.markup import escape

from deepsim_sync import CallbackError
from deepsim_train.task_code import TaskCodeError
from deepsim_train.tasks.loading import MODULE_PREFIX

from .command_help import complete_task

TaskName: TypeAlias = Annotated[
    str,
    typer.Argument(
        help="The task: a folder, its name, or an id such as DeepSim/Racetrack-v0. Without it, the "
        "command lists the tasks.",
        metavar="TASK",
        show_default=False,
        autocompletion=complete_task,
    ),
]
Root: TypeAlias = Annotated[Path, typer.Option("--in", help="The folder to search for the name.")]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Worlds: TypeAlias = Annotated[int, typer.Option(min=1, help="Number of worlds to step together.")]
Namespace: TypeAlias = Annotated[str, typer.Option("--namespace", help="The name of the world.")]
BackendName: TypeAlias = Annotated[
    str,
    typer.Option(help="The simulator: mujoco, warp on a GPU, or gazebo, which must already run."),
]


def without_effect(context: typer.Context, where: str, *names: str) -> None:
    """Refuses options that were given, though they do nothing there.

    Args:
        context: The command that runs.
        where: Such as ``"on a recording"``.
        names: Parameters of the command.

    Raises:
        typer.BadParameter: One of them was given.
    """
    for parameter in context.command.params:
        source = context.get_parameter_source(str(parameter.name))
        if parameter.name in names and source is not None and source.name == "COMMANDLINE":
            raise typer.BadParameter(f"it has no effect {where}", param_hint=parameter.opts[-1])


_LIBRARIES = ("deepsim", "deepsim_envs", "deepsim_sync", "deepsim_train", "importlib")  # callers


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


_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP


class Stop:
    """The exit status of a command that a signal ends.

    Attributes:
        status: As in shells, 128 plus the number of the signal that arrived; 130, the status of
            Ctrl-C, until one arrives.
    """

    status = 130


@contextlib.contextmanager
def stoppable() -> Iterator[Stop]:
    """Raises KeyboardInterrupt in the block at the first signal; later signals have no effect.

    Ignored signals stay ignored: SIGHUP under ``nohup``, and SIGINT in a background job of a
    script. A line says so for SIGINT, because Ctrl-C then does not stop the command.

    Raises:
        typer.Exit: The block did not handle the KeyboardInterrupt.
    """
    stop = Stop()
    before: dict[int, Any] = {}

    def on_signal(number: int, _frame: FrameType | None) -> None:
        for each in before:
            signal.signal(each, signal.SIG_IGN)
        stop.status = 128 + number
        raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():
        for number in (getattr(signal, name) for name in _NAMES if hasattr(signal, name)):
            if signal.getsignal(number) not in (signal.SIG_IGN, None):
                before[number] = signal.signal(number, on_signal)
        if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
            typer.echo(
                f"SIGINT (Ctrl-C) is ignored here; to stop this command: kill {os.getpid()}",
                err=True,
            )
    try:
        yield stop
    except KeyboardInterrupt:
        raise typer.Exit(stop.status) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
