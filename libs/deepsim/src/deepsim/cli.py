# SPDX-License-Identifier: Apache-2.0
"""The `deepsim` command."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from deepsim_sync import DeepSimError

from .backend import DEFAULT, Backend
from .bench_command import bench
from .command_line import INTERRUPTED, AsJson, Root, TaskName, fail
from .doctor import own_versions
from .doctor_command import doctor
from .envs_command import check, envs
from .film import VideoFormat
from .models_command import models
from .playing import Played, play
from .results_folder import results_folder
from .rollout import facts
from .serve_command import serve
from .task import TaskError
from .task_loading import load_task
from .task_search import find_task
from .train_command import train
from .training.run_folder import chosen_policy

# Plain tracebacks: framed ones are long, and show the insides of many libraries.
app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.add_typer(models, name="models")
app.add_typer(envs, name="envs")
app.command()(check)
app.command()(bench)
app.command()(doctor)
app.command()(serve)
app.command()(train)


def _print_versions(asked: bool) -> None:
    if asked:
        for package, version in own_versions().items():
            print(package, version)
        raise typer.Exit


@app.callback()
def deepsim(
    _version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_versions,
            is_eager=True,
            help="Show the versions of deepsim and its libraries, and exit.",
        ),
    ] = False,
) -> None:
    """Challenging reinforcement-learning environments for robots, in Python."""


@app.command()
def run(
    name: TaskName,
    root: Root = Path(),
    policy: Annotated[
        str | None,
        typer.Option(
            help="Who acts: a policy of the task, or a folder of `deepsim train`; by default "
            "random, or else the task's first."
        ),
    ] = None,
    episodes: Annotated[int, typer.Option(min=1, help="How many episodes.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same run.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the results; runs/TASK_POLICY_SEED by default.")
    ] = None,
    video: Annotated[
        VideoFormat | None, typer.Option(help="Film of the first episode; by default a GIF.")
    ] = None,
    backend: Annotated[
        str, typer.Option(help="The physics: mujoco, or gazebo, which must be running.")
    ] = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Runs a task; writes a film, a map and the data.

    Shows a table of the rewards. The map has the lines that the agents drove. Ctrl-C ends it after
    the episodes that are finished, with exit status 130.
    """
    with contextlib.redirect_stdout(sys.stderr) if as_json else contextlib.nullcontext():
        played, results = _run(name, root, policy, episodes, seed, out, video, backend)
    if as_json:
        told = [facts(episode) for episode in played.episodes]
        print(json.dumps({"folder": str(results), "episodes": told}, indent=2))
    if played.interrupted:
        raise typer.Exit(INTERRUPTED)


def _run(
    name: str,
    root: Path,
    policy: str | None,
    episodes: int,
    seed: int,
    out: Path | None,
    video: VideoFormat | None,
    backend: str,
) -> tuple[Played, Path]:
    console = Console()
    try:
        found = find_task(name, root)
        task = load_task(found.folder)
        trainings = Path("runs") / found.name
        who, build_policy = chosen_policy(policy or task.default_policy, task, trainings)
        chosen = Backend(backend)
        kind = task.name if backend == DEFAULT else f"{task.name}_{backend}"
        results = out if out is not None else Path("runs") / f"{kind}_{who}_{seed}"
        with results_folder(results):
            with console.status(f"building {task.name}"), chosen:
                environment = task.environment(seed)
            with environment:
                if backend != DEFAULT and not chosen.opened:
                    raise TaskError(
                        f"{task.name} makes its own simulator, so it cannot run on {backend}: "
                        "its make function should call deepsim.open_simulator"
                    )
                played = play(
                    console,
                    task,
                    environment,
                    build_policy(environment, np.random.default_rng(seed)),
                    results,
                    title=(kind, who),
                    episodes=episodes,
                    seed=seed,
                    video=video,
                )
    except DeepSimError as error:
        fail(console, error)
    for path in played.files:
        console.print(f"wrote {path}", highlight=False, soft_wrap=True)
    return played, results
