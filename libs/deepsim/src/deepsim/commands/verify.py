# SPDX-License-Identifier: Apache-2.0
"""`deepsim verify`: runs a recording again, and compares it bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from deepsim.episodes.playing import required_viewer
from deepsim.output import say
from deepsim_spawn.backends import DEFAULT, Backend
from deepsim_sync import DeepSimError
from deepsim_train.tasks.loading import load_task
from deepsim_train.tasks.recorded import recorded_task

from .options import BackendName, Root, TaskName, fail


def verify(
    file: Annotated[Path, typer.Argument(help="A recording of `run --record`.")],
    name: TaskName = "",
    root: Root = Path(),
    backend: BackendName = DEFAULT,
) -> None:
    """Runs a recording again, and says whether it is equal, or the first difference.

    The actions are those of the file; no policy acts. Without TASK, the task is the installed one
    of the recorded name. It also lists what differs: versions, platform and settings. The exit
    status is 1 if a value differs.
    """
    console = Console()
    try:
        run = required_viewer().RecordedRun(file)
        found, seed, changed = recorded_task(file, run.metadata, name, root, backend)
        task = load_task(found)
        with (
            console.status(f"running {file}"),
            Backend(backend),
            task.environment(seed, run.worlds) as environment,
        ):
            difference = run.verify(environment)
    except (DeepSimError, OSError) as error:
        fail(console, error)
    for what, recorded, here in (*run.differences, *changed):
        say(console, f"{what}: {recorded} in the recording, {here} here")
    counted = f"{run.episodes} episodes, {run.steps} steps, {run.worlds} worlds"
    if difference is not None:
        say(console, f"{file} differs: {difference}", "failed")
        raise typer.Exit(1)
    say(console, f"{file} is equal: {counted}", "ok")
