# SPDX-License-Identifier: Apache-2.0
"""`deepsim verify`: runs a recording again, and compares it bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from deepsim.output import say
from deepsim.playing import required
from deepsim_envs.software import differences, software
from deepsim_scenes.record import SceneRecord
from deepsim_spawn.backends import DEFAULT, Backend
from deepsim_sync import DeepSimError
from deepsim_train.tasks.recorded import recorded_environment

from .options import BackendName, Root, fail, without_effect


def verify(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A file of `--record`.")],
    name: Annotated[
        str,
        typer.Argument(help="The task, as in `run`; the Scenic file of scenes.", metavar="TASK"),
    ] = "",
    models: Annotated[Path | None, typer.Argument(help="The list of models of scenes.")] = None,
    root: Root = Path(),
    backend: BackendName = DEFAULT,
) -> None:
    """Runs a recording again, and says whether it is equal, or the first difference.

    The actions are those of the file; no policy acts. Without TASK, the task is the installed one
    of the recorded name. Scenes are drawn again. Versions, settings and files that differ are
    listed, too. The exit status is 1 if a value differs.
    """
    console = Console()
    try:
        if file.suffix == ".json":
            without_effect(context, "on scenes", "root")
            if models is None:
                raise DeepSimError("scenes need their program: deepsim verify FILE SCENARIO MODELS")
            record = SceneRecord(file)
            before, counted = record.software, f"{len(record.scenes)} scenes"
            changed, difference = record.verify(Path(name), models, Backend(backend).open)
        else:
            without_effect(context, "on a recording of a task", "models")
            run = required("deepsim_viewer", "view").RecordedRun(file)
            before, counted = run.software, run.counted
            made = recorded_environment(file, run.metadata, run.worlds, name, root, backend)
            with console.status(f"running {file}"), made as (environment, changed):
                difference = run.verify(environment)
    except (DeepSimError, OSError, ImportError, ValueError) as error:
        fail(console, error)
    for what, recorded, here in (*differences(before, software()), *changed):
        say(console, f"{what}: {recorded} in the recording, {here} here")
    if difference is not None:
        say(console, f"{file} differs: {difference}", "failed")
        raise typer.Exit(1)
    say(console, f"{file} is equal: {counted}", "ok")
