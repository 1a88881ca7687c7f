# SPDX-License-Identifier: Apache-2.0
"""`deepsim train`: trains policies of a task by PPO."""

from __future__ import annotations

import contextlib
import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from deepsim.episodes.episode import Episode, facts
from deepsim.episodes.film import VideoFormat
from deepsim.episodes.playing import Played, Playing, play
from deepsim.episodes.results_folder import results_folder
from deepsim.episodes.slot_policy import slot_policy
from deepsim.task_code import TaskError
from deepsim.tasks.loading import load_task
from deepsim.tasks.search import TaskFolder, find_task
from deepsim.tasks.task import Task
from deepsim.training.config import TrainingConfig, parse_policies, parse_settings
from deepsim.training.learning_curve import write_learning_curve
from deepsim.training.run_folder import (
    CONFIG,
    policy_of,
    run_folder,
    settings_of,
    task_folder_of,
    write_setup,
)
from deepsim_sync import DeepSimError

from .options import AsJson, Root, fail
from .stopping import stoppable

_DEFAULTS = TrainingConfig()
_MOST_SHOWN = 3  # agents whose reward fits beside the bar


def train(
    name: Annotated[
        str,
        typer.Argument(help="The task: a folder, its name, or an id; not needed to resume."),
    ] = "",
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
            help="Worlds that are stepped together; by default what the task says, "
            f"or else {_DEFAULTS.envs}.",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="The same seed gives the same training; by default 0."),
    ] = None,
    agent: Annotated[
        str | None, typer.Option(help="The agent that learns, where only one does.")
    ] = None,
    policies: Annotated[
        list[str] | None,
        typer.Option(
            help="The policies that learn: one for all, one of each agent, or one of each group "
            "with equal spaces; or NAME=AGENT,AGENT for each, such as 'red=red_*'.",
            metavar="one|agent|group|NAME=AGENT,...",
        ),
    ] = None,
    others: Annotated[
        str | None, typer.Option(help="The policy of all agents that do not learn.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="Another setting, such as gamma=0.98.")
    ] = None,
    config_file: Annotated[
        Path | None,
        typer.Option("--config", help="Settings in YAML, as config.json of a training."),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(help="Goes on with the training in a folder, with the settings there."),
    ] = None,
    episodes: Annotated[int, typer.Option(min=1, help="Episodes of the trained policy.")] = 3,
    video: Annotated[bool, typer.Option(help="Film the first of them.")] = True,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the results; runs/TASK/DATE_SEED by default.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Trains policies by PPO of Stable-Baselines3, and runs them.

    All results go to one folder. Ctrl-C, SIGTERM and SIGHUP end the training and keep the policies
    and a checkpoint, from which --resume goes on; the exit status is 130, 143 or 129.
    """
    console = Console(file=sys.stderr if as_json else sys.stdout)
    chosen: dict[str, Any] = {
        "steps": steps, "envs": envs, "agent": agent, "others": others, "seed": seed,
    }  # fmt: skip
    given = {key: value for key, value in chosen.items() if value is not None}
    with stoppable() as stop:
        interrupted = False
        try:
            with contextlib.redirect_stdout(sys.stderr) if as_json else contextlib.nullcontext():
                if policies:
                    given["policies"] = parse_policies(policies)
                if resume is not None:
                    if settings or config_file or out or given.keys() - {"steps"}:
                        raise TaskError("--resume keeps all settings of its folder but --steps")
                    given = {**settings_of(resume / CONFIG), **given}
                    name = name or task_folder_of(resume / CONFIG)
                if not name:
                    raise TaskError("say which task: deepsim train TASK")
                found = find_task(name, root)
                task = load_task(found.folder)
                config = TrainingConfig().changed(task.training)
                if config_file is not None:
                    config = config.changed(settings_of(config_file))
                config = config.changed({**parse_settings(settings or ()), **given})
                folder = resume or run_folder(found.name, config.seed, out)
                with results_folder(folder) as results:
                    interrupted = _train(console, found, task, config, results, resume is not None)
                    done: list[Episode] = []
                    if not interrupted:
                        played = _play(console, results, task, config, episodes, video)
                        done, interrupted = played.episodes, played.interrupted
                    for file in sorted(results.iterdir()):
                        console.print(f"wrote {file}", highlight=False, soft_wrap=True)
                again = ["deepsim", "run", name, "--policy", str(results)]
                again += [] if root == Path() else ["--in", str(root)]
                console.print(f"to run it: {shlex.join(again)}", highlight=False, soft_wrap=True)
        except DeepSimError as error:
            fail(console, error)
        if as_json:
            rows = [facts(episode) for episode in done]
            print(json.dumps({"folder": str(results), "episodes": rows}, indent=2))
        if interrupted:
            raise typer.Exit(stop.status)


def _train(
    console: Console,
    found: TaskFolder,
    task: Task,
    config: TrainingConfig,
    folder: Path,
    resume: bool,
) -> bool:
    """Trains, and returns whether a signal ended it."""
    try:
        # An extra, and seconds of imports, for this command alone.
        from deepsim.training.ppo import train as learn  # noqa: PLC0415 (see above)
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

        def on_step(steps: int, rewards: Mapping[str, float]) -> None:
            shown = [f"{agent} {reward:.2f}" for agent, reward in rewards.items()]
            text = "reward " + ", ".join(shown[:_MOST_SHOWN]) if shown else ""
            progress.update(bar, completed=min(steps, config.steps), reward=text)

        training = learn(task, config, folder, on_step, resume=resume)
    if training.rows:
        title = f"{task.name}: PPO, seed {config.seed}"
        write_learning_curve(folder / "learning_curve.png", title, training.rows)
    if training.interrupted:
        console.print(f"stopped after {training.steps} steps; the policy is kept")
        if training.resumable:
            again = shlex.join(["deepsim", "train", "--resume", str(folder)])
            console.print(f"to go on: {again}", highlight=False, soft_wrap=True)
    return training.interrupted


def _play(
    console: Console,
    folder: Path,
    task: Task,
    config: TrainingConfig,
    episodes: int,
    video: bool,
) -> Played:
    """Runs the trained policy in one world, and writes the files of `deepsim run`."""
    settings = Playing(
        title=(task.name, "trained"),
        episodes=episodes,
        seed=config.seed,
        video=None if video else VideoFormat.NONE,
    )
    with task.environment(config.seed) as environment:
        policy = slot_policy(policy_of(folder, task), environment, config.seed)
        return play(console, task, environment, policy, folder, settings)
