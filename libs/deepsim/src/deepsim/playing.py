# SPDX-License-Identifier: Apache-2.0
"""Plays a policy and writes what came of it, for `deepsim run` and `deepsim train`."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from deepsim_envs import Environment
from deepsim_sync import Cameras, World

from .film import Film, VideoFormat
from .result_table import result_table
from .rollout import Episode, run_episode, write_trajectory
from .task import Policy, Task, TaskError
from .track_map import write_map


@dataclass(frozen=True, slots=True)
class Played:
    """What came of playing.

    Attributes:
        episodes: Those that were finished.
        files: What was written.
        interrupted: Whether Ctrl-C ended it before all were.
    """

    episodes: list[Episode]
    files: list[Path]
    interrupted: bool


def play(
    console: Console,
    task: Task,
    environment: Environment,
    act: Policy,
    results: Path,
    *,
    title: tuple[str, str],
    episodes: int,
    seed: int,
    video: VideoFormat | None,
) -> Played:
    """Runs episodes, prints a table, and writes the trajectory, a map, and a film of the first.

    A map and a film need cameras of the task. Ctrl-C ends it after the episodes that are finished.

    Args:
        console: Where it is shown.
        task: The task.
        environment: Its environment.
        act: Policy of every agent.
        results: Folder of the files.
        title: Of the table: task and policy.
        episodes: How many.
        seed: Seed of the run.
        video: How the film is written; by default a GIF, if the simulator takes pictures.

    Raises:
        UnsupportedError: A film is asked for, and the simulator takes no pictures.
        TaskError: A film is asked for, and the task has no camera of it; or a file cannot be
            written.
        TaskCodeError: A step raised.
    """
    film = _open_film(environment.world, task, results, video)
    done = _run_episodes(console, environment, act, episodes, seed, film)
    interrupted = len(done) < episodes
    if interrupted:
        kept = f"{len(done)} finished" if done else "nothing was finished, and nothing is written"
        console.print(f"interrupted in episode {len(done) + 1} of {episodes}: {kept}")
    if not done:
        return Played(done, [], interrupted)
    console.print(result_table(*title, seed, done))
    try:
        files = _write(console, results, task, environment.world, done, film)
    except OSError as error:
        raise TaskError(f"cannot write to {results}: {error.strerror or error}") from error
    return Played(done, files, interrupted)


def _open_film(world: World, task: Task, results: Path, video: VideoFormat | None) -> Film | None:
    """The film that was asked for; one that was not is only made where there is a camera."""
    if video is None:
        films = isinstance(world.simulator, Cameras) and task.film is not None
        video = VideoFormat.GIF if films else VideoFormat.NONE
    if video is VideoFormat.NONE:
        return None
    if task.film is None:
        raise TaskError(f"{task.name} has no camera of a film: give its Task film=...")
    return Film(world, task.film, results / f"film.{video.value}")


def _run_episodes(
    console: Console,
    environment: Environment,
    act: Policy,
    episodes: int,
    seed: int,
    film: Film | None,
) -> list[Episode]:
    """The episodes that were finished before Ctrl-C, if any of them was not."""
    done: list[Episode] = []
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    bars = Progress(*columns, console=console, disable=not console.is_terminal)
    with bars as progress, suppress(KeyboardInterrupt):
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
) -> list[Path]:
    written = [results / "trajectory.csv"]
    write_trajectory(written[0], episodes)
    cameras = {"film": task.film, "map": task.map_view}
    if lacking := [what for what, camera in cameras.items() if camera is None]:
        console.print(f"{task.name} has no camera of a {' or a '.join(lacking)}: there is none")
    if task.map_view is not None:
        picture = None
        if isinstance(world.simulator, Cameras):
            picture = world.render(task.map_view)
        else:
            simulator = type(world.simulator).__name__
            told = "the map shows lines only, there is no film"
            console.print(f"{simulator} takes no pictures: {told}")
        with console.status("drawing the map"):
            written.append(results / "map.png")
            write_map(written[-1], picture, task, episodes)
    if film is not None:
        with console.status("writing the film"):
            written.append(film.path)
            film.write()
    return written
