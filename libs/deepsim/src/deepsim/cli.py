# SPDX-License-Identifier: Apache-2.0
"""The `deepsim` command."""

from __future__ import annotations

import contextlib
import json
import sys
import traceback
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from deepsim_envs import Environment
from deepsim_sync import CallbackError, Cameras, DeepSimError, World

from .backend import DEFAULT, Backend
from .bench_command import bench
from .doctor_command import doctor
from .envs_command import check, envs
from .film import Film, VideoFormat
from .models_command import models
from .result_table import result_table
from .rollout import Episode, facts, run_episode, write_trajectory
from .serve_command import serve
from .task import Policy, Task, TaskError, load_task
from .task_search import find_task
from .track_map import write_map
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
    name: Annotated[
        str, typer.Argument(help="The task: a folder, its name, or an id as DeepSim/Racetrack-v0.")
    ],
    root: Annotated[
        Path, typer.Option("--in", help="Where a name or an id is looked for.")
    ] = Path(),
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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
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
            environment = task.make(seed)
        with environment:
            if backend != DEFAULT and not chosen.opened:
                raise TaskError(
                    f"{task.name} makes its own simulator, so it cannot run on {backend}: "
                    "its make function should call deepsim.open_simulator"
                )
            act = build_policy(environment, np.random.default_rng(seed))
            film = _open_film(environment.world, task, results, video)
            done = _run_episodes(console, environment, act, episodes, seed, film)
            console.print(result_table(kind, policy, seed, done))
            _write(console, results, task, environment.world, done, film)
            return done, results
    except DeepSimError as error:
        if isinstance(error, CallbackError):
            _print_origin(console, error)
        console.print(f"[red]error:[/red] {escape(str(error))}", highlight=False)
        raise typer.Exit(1) from error


def _open_film(world: World, task: Task, results: Path, video: VideoFormat | None) -> Film | None:
    """The film that was asked for; one that was not is only made where there are pictures."""
    if video is None:
        video = VideoFormat.GIF if isinstance(world.simulator, Cameras) else VideoFormat.NONE
    if video is VideoFormat.NONE:
        return None
    return Film(world, task.film, results / f"film.{video.value}")


def _run_episodes(
    console: Console,
    environment: Environment,
    act: Policy,
    episodes: int,
    seed: int,
    film: Film | None,
) -> list[Episode]:
    done: list[Episode] = []
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as progress:
        for number in range(1, episodes + 1):
            bar = progress.add_task(
                f"episode {number}/{episodes}", total=environment.max_episode_steps
            )

            def on_step(episode: Episode, bar: TaskID = bar) -> None:
                progress.update(bar, completed=episode.steps)
                if film is not None and episode.number == 1:
                    film.shoot()

            episode = run_episode(environment, act, number, seed, on_step)
            progress.update(bar, total=episode.steps)
            done.append(episode)
    return done


def _write(
    console: Console,
    results: Path,
    task: Task,
    world: World,
    episodes: list[Episode],
    film: Film | None,
) -> None:
    written = [results / "trajectory.csv"]
    write_trajectory(written[0], episodes)
    picture = None
    if isinstance(world.simulator, Cameras):
        picture = world.render(task.map_view)
    else:
        simulator = type(world.simulator).__name__
        console.print(f"{simulator} takes no pictures: the map shows lines only, there is no film")
    with console.status("drawing the map"):
        written.append(results / "map.png")
        write_map(written[-1], picture, task, episodes)
    if film is not None:
        with console.status("writing the film"):
            written.append(film.path)
            film.write()
    for path in written:
        console.print(f"wrote {path}", highlight=False, soft_wrap=True)


def _print_origin(console: Console, error: CallbackError) -> None:
    """Prints the traceback of what the user's callback raised."""
    origin = error.__cause__
    if origin is None:
        return
    # The outermost frame is the library's, where it calls the user's.
    frames = origin.__traceback__ and origin.__traceback__.tb_next
    text = "".join(traceback.format_exception(type(origin), origin, frames))
    console.out(text.rstrip(), highlight=False)
