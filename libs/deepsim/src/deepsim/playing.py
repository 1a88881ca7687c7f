# SPDX-License-Identifier: Apache-2.0
"""Plays episodes with a policy and writes their film, map, table and recording."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from pathlib import Path
from types import ModuleType

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from deepsim.output import result_table
from deepsim_envs import Environment
from deepsim_train.episodes import Episode, Steppable, run_episodes, write_trajectory
from deepsim_train.film import FPS, Film, VideoFormat, open_film, write_map
from deepsim_train.policies.slot_policy import SlotPolicy
from deepsim_train.task_code import TaskError
from deepsim_train.tasks.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Playing:
    """The settings of `play`.

    Attributes:
        title: Names of the task and the policy, for the table.
        episodes: The number of episodes in each world.
        seed: Seed of the run.
        video: Format of the film; None for WebP if simulator and task have a camera, else no film.
        camera: ``follow``, ``orbit``, ``worlds`` or a camera sensor; None for the task's camera.
        width: Width of the film [pixels]; None for that of the camera.
        fps: Frames of the film per second.
        world: Number of the world that film and map show.
    """

    title: tuple[str, str]
    episodes: int
    seed: int
    video: VideoFormat | None = None
    camera: str | None = None
    width: int | None = None
    fps: int = FPS
    world: int = 0


@dataclass(frozen=True, slots=True)
class Played:
    """The results of `play`.

    Attributes:
        episodes: The finished episodes of all worlds.
        files: The written files.
        interrupted: Whether Ctrl-C came before all episodes were finished.
    """

    episodes: list[Episode]
    files: list[Path]
    interrupted: bool


def play(
    console: Console,
    task: Task,
    environment: Environment,
    policy: SlotPolicy,
    results: Path,
    settings: Playing,
    through: Steppable | None = None,
) -> Played:
    """Runs episodes, prints a table, and writes trajectory, map and a film of the first episode.

    Map and film need a camera in the `Task`. Ctrl-C ends the run; only finished episodes count.

    Args:
        console: The console for the table.
        task: The task.
        environment: Environment of the task.
        policy: Policy of all slots, from `slot_policy`.
        results: Output folder.
        settings: The settings.
        through: A recorder of the environment, or None.

    Raises:
        UnsupportedError: A film is requested, but the simulator takes no pictures.
        TaskError: A film is requested, but the task has no camera for it; the world to show does
            not exist; or a file cannot be written.
        TaskCodeError: The reset or a step of the task's code raised an error.
    """
    if not 0 <= settings.world < len(environment):
        raise TaskError(
            f"there is no world {settings.world}: there are {len(environment)}, from world 0"
        )
    film = open_film(
        environment.world, task, results, environment.agents[0], settings.video,
        camera=settings.camera, width=settings.width, fps=settings.fps, number=settings.world,
    )  # fmt: skip
    rounds = _run(console, environment, policy, settings, film, through)
    interrupted = len(rounds) < settings.episodes
    if interrupted:
        kept = f"{len(rounds)} finished" if rounds else "nothing was finished or written"
        console.print(f"interrupted in episode {len(rounds) + 1} of {settings.episodes}: {kept}")
    done = [episode for each in rounds for episode in each]
    if not done:
        return Played(done, [], interrupted)
    console.print(result_table(*settings.title, settings.seed, done, console.width))
    try:
        files = _write(console, results, task, environment, done, film, settings.world)
    except OSError as error:
        raise TaskError(f"cannot write to {results}: {error.strerror or error}") from error
    return Played(done, files, interrupted)


class RecordingFormat(str, Enum):
    """Formats of recordings."""

    DEEPSIM = "deepsim"
    ROS2 = "ros2"


@contextmanager
def recorder(
    environment: Environment,
    path: Path | None,
    settings: Playing,
    facts: Mapping[str, str],
    form: RecordingFormat = RecordingFormat.DEEPSIM,
) -> Iterator[Steppable]:
    """Records a world, and yields the `through` of `play`; without a path, it does nothing.

    Args:
        environment: The environment whose world is recorded.
        path: Output file (.mcap), or None.
        settings: Settings of `play`; the file stores task, policy, seed, and the model to follow.
        facts: Further metadata, from `run_facts`.
        form: The messages of the file.

    Raises:
        TaskError: The suffix is not .mcap, an extra for recordings is not installed, or the file
            cannot be written.
    """
    if path is None:
        yield environment
        return
    if path.suffix != ".mcap":
        raise TaskError(f"a recording is an .mcap file, got {path}")
    viewer, encoder = required("deepsim_viewer", "view"), None
    task, policy = settings.title
    metadata = {"task": task, "policy": policy, "seed": str(settings.seed), **facts}
    if environment.agents[0] in environment.world.entities.models:
        metadata["follow"] = environment.agents[0]
    if form is RecordingFormat.ROS2:
        encoder = required("deepsim_ros2", "ros2").BagEncoder(environment.world)
    try:
        if encoder is None:
            writer = viewer.EpisodeRecorder(environment, path, metadata=metadata)
        else:
            world = environment.world
            writer = viewer.WorldRecorder(world, path, metadata=metadata, encoder=encoder)
    except OSError as error:
        raise TaskError(f"cannot write to {path}: {error.strerror or error}") from error
    with writer:
        yield environment if encoder is not None else writer


def required(package: str, extra: str) -> ModuleType:
    """Returns a library; raises TaskError with the command that installs it if it is missing."""
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise TaskError(
            f"{package} is an extra: pip install --find-links dist 'deepsim[{extra}]'"
        ) from None


def _run(
    console: Console,
    environment: Environment,
    policy: SlotPolicy,
    settings: Playing,
    film: Film | None,
    through: Steppable | None,
) -> list[list[Episode]]:
    """Runs episodes; returns the finished ones, one list of all worlds for each episode number."""
    done: list[list[Episode]] = []
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    bars = Progress(*columns, console=console, disable=not console.is_terminal)
    with bars as progress, suppress(KeyboardInterrupt):
        for number in range(1, settings.episodes + 1):
            bar = progress.add_task(
                f"episode {number}/{settings.episodes}", total=environment.max_episode_steps
            )

            def on_step(episodes: Sequence[Episode], bar: TaskID = bar) -> None:
                progress.update(bar, completed=max(episode.steps for episode in episodes))
                if film is not None and episodes[0].number == 1:
                    film.shoot()

            episodes = run_episodes(
                environment, policy, number, settings.seed, on_step, through=through
            )
            progress.update(bar, total=max(episode.steps for episode in episodes))
            done.append(episodes)
    return done


def _write(
    console: Console,
    results: Path,
    task: Task,
    environment: Environment,
    episodes: list[Episode],
    film: Film | None,
    world: int,
) -> list[Path]:
    simulator = environment.world.simulator
    written = [results / "trajectory.csv"]
    write_trajectory(written[0], episodes)
    cameras = {"film": task.film, "map": task.map_view}
    if lacking := [what for what, camera in cameras.items() if camera is None]:
        console.print(f"{task.name} has no camera of a {' or a '.join(lacking)}: there is none")
    if task.map_view is not None:
        picture = None
        if simulator.cameras is not None:
            picture = environment.world.render(task.map_view, world)
        else:
            console.print(
                f"{type(simulator).__name__} takes no pictures: "
                "the map shows lines only, there is no film"
            )
        with console.status("drawing the map"):
            written.append(results / "map.png")
            shown = [episode for episode in episodes if episode.world == world]
            write_map(written[-1], picture, task, shown)
    if film is not None:
        with console.status("writing the film"):
            written.append(film.path)
            film.write()
    return written
