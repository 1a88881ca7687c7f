# SPDX-License-Identifier: Apache-2.0
"""The `deepsim` command."""

from __future__ import annotations

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

from .film import Film, VideoFormat
from .result_table import result_table
from .rollout import Episode, run_episode, write_trajectory
from .task import Policy, Task, load_task
from .track_map import write_map

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None)


@app.callback()
def deepsim() -> None:
    """Challenging reinforcement-learning environments for robots, in Python."""


@app.command()
def run(
    folder: Annotated[Path, typer.Argument(help="The task, such as examples/racetrack.")],
    policy: Annotated[str, typer.Option(help="Who acts.")] = "random",
    episodes: Annotated[int, typer.Option(min=1, help="How many episodes.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same run.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the results; runs/TASK_POLICY_SEED by default.")
    ] = None,
    video: Annotated[
        VideoFormat, typer.Option(help="Film of the first episode.")
    ] = VideoFormat.GIF,
) -> None:
    """Runs a task; shows a table, and writes a film, a map of the driven lines and the data."""
    console = Console()
    try:
        task = load_task(folder)
        build_policy = task.policy(policy)
        results = out if out is not None else Path("runs") / f"{task.name}_{policy}_{seed}"
        results.mkdir(parents=True, exist_ok=True)
        with console.status(f"building {task.name}"):
            environment = task.make(seed)
        with environment:
            act = build_policy(environment, np.random.default_rng(seed))
            film = None
            if video is not VideoFormat.NONE:
                film = Film(environment.world, task.film, results / f"film.{video.value}")
            done = _run_episodes(console, environment, act, episodes, seed, film)
            console.print(result_table(task.name, policy, seed, done))
            _write(console, results, task, environment.world, done, film)
    except DeepSimError as error:
        if isinstance(error, CallbackError):
            _print_origin(console, error)
        console.print(f"[red]error:[/red] {escape(str(error))}", highlight=False)
        raise typer.Exit(1) from error


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
    if isinstance(world.simulator, Cameras):
        with console.status("drawing the map"):
            written.append(results / "map.png")
            write_map(written[-1], world.render(task.map_view), task, episodes)
    else:
        console.print(f"no map: {type(world.simulator).__name__} takes no pictures")
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
