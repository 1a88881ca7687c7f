# SPDX-License-Identifier: Apache-2.0
"""`deepsim run`: runs a task and shows the results."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from deepsim.output import print_json, say
from deepsim.playing import Played, Playing, RecordingFormat, play, recorder
from deepsim_spawn.backends import DEFAULT, Backend
from deepsim_sync import DeepSimError
from deepsim_train.episodes import facts
from deepsim_train.film import FPS, VideoFormat
from deepsim_train.policies.slot_policy import slot_policy
from deepsim_train.tasks.recorded import run_facts
from deepsim_train.training.run_folder import chosen, results_folder

from .options import AsJson, BackendName, Root, TaskName, Worlds, fail, stoppable, without_effect


def run(
    context: typer.Context,
    name: TaskName = "",
    root: Root = Path(),
    policy: Annotated[
        str | None,
        typer.Option(
            help="The policy that acts: one of the task, a folder of `deepsim train`, or an ONNX "
            "model; by default the task's random, else its first, else random actions."
        ),
    ] = None,
    episodes: Annotated[int, typer.Option(min=1, help="Number of episodes in each world.")] = 1,
    worlds: Worlds = 1,
    world: Annotated[int, typer.Option(min=0, help="World that film and map show.")] = 0,
    seed: Annotated[int, typer.Option(min=0, help="World w has the seed SEED + w.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the results; runs/TASK_POLICY_SEED by default.")
    ] = None,
    video: Annotated[
        VideoFormat | None, typer.Option(help="Format of the first episode's film; default: webp.")
    ] = None,
    camera: Annotated[
        str | None,
        typer.Option(
            help="Camera of the film: follow, orbit, worlds (all side by side) or a sensor; "
            "default: the task's."
        ),
    ] = None,
    width: Annotated[
        int | None, typer.Option(min=16, max=7680, help="Width of the film, pixels.")
    ] = None,
    fps: Annotated[int, typer.Option(min=1, max=100, help="Frames of the film per second.")] = FPS,
    record: Annotated[
        Path | None,
        typer.Option(help="Recording of all episodes (.mcap), for `view`, `verify` or Foxglove."),
    ] = None,
    form: Annotated[
        RecordingFormat,
        typer.Option("--format", help="Messages of the recording; ros2: a bag, with its sensors."),
    ] = RecordingFormat.DEEPSIM,
    backend: BackendName = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Runs a task; writes a film, a map and the data.

    Prints a table of the rewards. The map shows the paths of the agents. World w of several worlds
    gives the same bits as a single world with the seed SEED + w. Ctrl-C keeps only the finished
    episodes, with exit status 130; SIGTERM (143) and SIGHUP (129) do the same.
    """
    if record is None:
        without_effect(context, "without --record", "form")
    if video is VideoFormat.NONE:
        without_effect(context, "without a film", "camera", "width", "fps")
    with stoppable() as stop:
        with contextlib.redirect_stdout(sys.stderr) if as_json else contextlib.nullcontext():
            played, results = _run(
                name, root, policy, worlds, out, record, form, backend,
                Playing(
                    title=("", ""), episodes=episodes, seed=seed, video=video, camera=camera,
                    width=width, fps=fps, world=world,
                ),
            )  # fmt: skip
        if as_json:
            rows = [facts(episode) for episode in played.episodes]
            print_json({"folder": str(results), "episodes": rows})
        if played.interrupted:
            raise typer.Exit(stop.status)


def _run(
    name: str,
    root: Path,
    policy: str | None,
    worlds: int,
    out: Path | None,
    record: Path | None,
    form: RecordingFormat,
    backend: str,
    settings: Playing,
) -> tuple[Played, Path]:
    console = Console()
    try:
        found, task, who, maker = chosen(name, root, policy)
        engine = Backend(backend)
        kind = task.name if backend == DEFAULT else f"{task.name}_{backend}"
        folder = f"{kind}_{who}_{settings.seed}" + (f"_{worlds}_worlds" if worlds > 1 else "")
        results = out if out is not None else Path("runs") / folder
        with results_folder(results):
            with console.status(f"building {task.name}"), engine:
                environment = task.environment(settings.seed, worlds)
            with environment:
                act = slot_policy(maker, environment, settings.seed)
                settings = replace(settings, title=(kind, who))
                facts = run_facts(found, settings.seed, backend)
                with recorder(environment, record, settings, facts, form) as through:
                    played = play(console, task, environment, act, results, settings, through)
    except DeepSimError as error:
        fail(console, error)
    for path in (*played.files, *([record] if record is not None else [])):
        say(console, f"wrote {path}")
    return played, results
