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
from .command_line import AsJson, Root, TaskName, fail
from .doctor_command import doctor
from .envs_command import check, envs
from .film import VideoFormat
from .models_command import models
from .playing import play
from .rollout import Episode, facts
from .serve_command import serve
from .task import TaskError
from .task_loading import load_task
from .task_search import find_task
from .train_command import train
from .training.run_folder import is_run_folder, policy_of

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None)
app.add_typer(models, name="models")
app.add_typer(envs, name="envs")
app.command()(check)
app.command()(bench)
app.command()(doctor)
app.command()(serve)
app.command()(train)


@app.callback()
def deepsim() -> None:
    """Challenging reinforcement-learning environments for robots, in Python."""


@app.command()
def run(
    name: TaskName,
    root: Root = Path(),
    policy: Annotated[
        str, typer.Option(help="Who acts: one of the task's, or a folder of `deepsim train`.")
    ] = "random",
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
    """Runs a task; shows a table, and writes a film, a map of the driven lines and the data."""
    with contextlib.redirect_stdout(sys.stderr) if as_json else contextlib.nullcontext():
        done, results = _run(name, root, policy, episodes, seed, out, video, backend)
    if as_json:
        print(
            json.dumps({"folder": str(results), "episodes": [facts(it) for it in done]}, indent=2)
        )


def _run(
    name: str,
    root: Path,
    policy: str,
    episodes: int,
    seed: int,
    out: Path | None,
    video: VideoFormat | None,
    backend: str,
) -> tuple[list[Episode], Path]:
    console = Console()
    try:
        # A folder that is named need not say in plain sight that it defines a task.
        folder = Path(name)
        task = load_task(folder if folder.is_dir() else find_task(name, root).folder)
        trained = is_run_folder(policy)
        build_policy = policy_of(Path(policy), task) if trained else task.policy(policy)
        policy = "trained" if trained else policy
        chosen = Backend(backend)
        kind = task.name if backend == DEFAULT else f"{task.name}_{backend}"
        results = out if out is not None else Path("runs") / f"{kind}_{policy}_{seed}"
        results.mkdir(parents=True, exist_ok=True)
        with console.status(f"building {task.name}"), chosen:
            environment = task.environment(seed)
        with environment:
            if backend != DEFAULT and not chosen.opened:
                raise TaskError(
                    f"{task.name} makes its own simulator, so it cannot run on {backend}: "
                    "its make function should call deepsim.open_simulator"
                )
            act = build_policy(environment, np.random.default_rng(seed))
            done, written = play(
                console,
                task,
                environment,
                act,
                results,
                title=(kind, policy),
                episodes=episodes,
                seed=seed,
                video=video,
            )
    except DeepSimError as error:
        fail(console, error)
    for path in written:
        console.print(f"wrote {path}", highlight=False, soft_wrap=True)
    return done, results
