# SPDX-License-Identifier: Apache-2.0
"""`deepsim train`: a policy of a task, learned by PPO, in a folder of its own."""

from __future__ import annotations

import contextlib
import json
import shlex
import sys
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from deepsim_sync import DeepSimError

from .command_line import INTERRUPTED, AsJson, Root, TaskName, fail
from .film import VideoFormat
from .playing import Played, play
from .results_folder import results_folder
from .rollout import facts
from .task import Task, TaskError
from .task_loading import load_task
from .task_search import TaskFolder, find_task
from .training.config import TrainingConfig, parse_settings
from .training.learning_curve import write_learning_curve
from .training.run_folder import policy_of, run_folder, write_setup

_DEFAULTS = TrainingConfig()


def train(
    name: TaskName,
    root: Root = Path(),
    steps: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Steps of all agents together; by default what the task says, "
            f"or else {_DEFAULTS.steps}.",
        ),
    ] = None,
    envs: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Worlds that are stepped in turn; by default what the task says, "
            f"or else {_DEFAULTS.envs}.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same training.")] = 0,
    agent: Annotated[
        str | None, typer.Option(help="The agent that learns; by default one policy for all.")
    ] = None,
    others: Annotated[
        str | None, typer.Option(help="The policy of all other agents, where one learns.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="Another setting, such as gamma=0.98.")
    ] = None,
    episodes: Annotated[int, typer.Option(min=1, help="Episodes of the trained policy.")] = 3,
    video: Annotated[bool, typer.Option(help="Film the first of them.")] = True,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the results; runs/TASK/DATE_SEED by default.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Trains a policy by PPO, and runs what was learned.

    PPO is that of Stable-Baselines3. All results go to one folder.
    """
    console = Console(file=sys.stderr if as_json else sys.stdout)
    try:
        with contextlib.redirect_stdout(sys.stderr) if as_json else contextlib.nullcontext():
            found = find_task(name, root)
            task = load_task(found.folder)
            chosen = {"steps": steps, "envs": envs, "agent": agent, "others": others}
            config = (
                TrainingConfig()
                .changed(task.training)
                .changed(parse_settings(settings or ()))
                .changed({key: value for key, value in chosen.items() if value is not None})
                .changed({"seed": seed})
            )
            with results_folder(run_folder(found.name, seed, out)) as results:
                _train(console, found, task, config, results)
                played = _play(console, results, task, config, episodes, video)
            again = ["deepsim", "run", name, "--policy", str(results)]
            again += [] if root == Path() else ["--in", str(root)]
            console.print(f"to run it: {shlex.join(again)}", highlight=False, soft_wrap=True)
    except DeepSimError as error:
        fail(console, error)
    if as_json:
        told = [facts(episode) for episode in played.episodes]
        print(json.dumps({"folder": str(results), "episodes": told}, indent=2))
    if played.interrupted:
        raise typer.Exit(INTERRUPTED)


def _train(
    console: Console, found: TaskFolder, task: Task, config: TrainingConfig, folder: Path
) -> None:
    try:
        # An extra, and seconds of imports, for this command alone.
        from .training.ppo import train as learn  # noqa: PLC0415 (see above)
    except ImportError as error:
        raise TaskError(str(error)) from error
    write_setup(folder, found.folder, found.id, config)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[reward]}"),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        bar = progress.add_task(f"training {task.name}", total=config.steps, reward="")

        def on_step(steps: int, reward: float | None) -> None:
            shown = "" if reward is None else f"reward {reward:.2f}"
            progress.update(bar, completed=min(steps, config.steps), reward=shown)

        training = learn(task, config, folder, on_step)
    if training.rows:
        title = f"{task.name}: PPO, seed {config.seed}"
        write_learning_curve(folder / "learning_curve.png", title, training.rows)
    if training.interrupted:
        console.print(f"stopped after {training.steps} steps; what was learned is kept")


def _play(
    console: Console,
    folder: Path,
    task: Task,
    config: TrainingConfig,
    episodes: int,
    video: bool,
) -> Played:
    """Runs the trained policy, and writes what `deepsim run` would."""
    with task.environment(config.seed) as environment:
        played = play(
            console,
            task,
            environment,
            policy_of(folder, task)(environment, np.random.default_rng(config.seed)),
            folder,
            title=(task.name, "trained"),
            episodes=episodes,
            seed=config.seed,
            video=None if video else VideoFormat.NONE,
        )
    for file in sorted(folder.iterdir()):
        console.print(f"wrote {file}", highlight=False, soft_wrap=True)
    return played
