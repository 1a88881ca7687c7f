# SPDX-License-Identifier: Apache-2.0
"""`deepsim train` trains policies for a task with PPO, and `deepsim curves` compares the runs."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from deepsim.output import print_json, say, table
from deepsim.playing import Played, Playing, play, recorder, required
from deepsim_spawn.backends import DEFAULT
from deepsim_sync import DeepSimError
from deepsim_train.episodes import Episode, facts
from deepsim_train.film import VideoFormat
from deepsim_train.policies.slot_policy import slot_policy
from deepsim_train.task_code import TaskError
from deepsim_train.tasks.loading import load_task
from deepsim_train.tasks.recorded import run_facts
from deepsim_train.tasks.search import TaskFolder, find_task
from deepsim_train.tasks.task import Task
from deepsim_train.training.config import TrainingConfig, parse_policies, parse_settings
from deepsim_train.training.curves import curves_of, write_curves
from deepsim_train.training.progress import REWARD, write_learning_curve
from deepsim_train.training.run_folder import (
    CONFIG,
    one_writer,
    policy_of,
    results_folder,
    run_folder,
    settings_of,
    task_folder_of,
    variant_of,
    write_setup,
)

from .options import AsJson, Root, TaskName, fail, stoppable

_DEFAULTS = TrainingConfig()
_RECORDING = "episodes.mcap"
_MOST_SHOWN = 3  # the number of agents' rewards that fit beside the progress bar


def train(
    name: TaskName = "",
    root: Root = Path(),
    steps: Annotated[
        int | None,
        typer.Option(
            min=1,
            help=f"Total steps of all agents; by default as the task sets, else {_DEFAULTS.steps}.",
        ),
    ] = None,
    worlds: Annotated[
        int | None,
        typer.Option(
            min=1,
            help=f"Worlds to step together; by default as the task sets, else {_DEFAULTS.worlds}.",
        ),
    ] = None,
    backend: Annotated[
        str | None,
        typer.Option(help="The simulator: mujoco by default, warp on a GPU, or gazebo."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="The same seed gives the same policies; by default 0."),
    ] = None,
    seeds: Annotated[
        int, typer.Option(min=1, help="Train this many times, with the seeds SEED, SEED + 1, ...")
    ] = 1,
    agent: Annotated[
        str | None, typer.Option(help="The agent that learns, if only one does.")
    ] = None,
    policies: Annotated[
        list[str] | None,
        typer.Option(
            help="The policies that learn: one for all agents, one per agent, or one per group "
            "of agents with equal spaces; or NAME=AGENT,AGENT for each, such as 'red=red_*'.",
            metavar="one|agent|group|NAME=AGENT,...",
        ),
    ] = None,
    others: Annotated[
        str | None, typer.Option(help="The task's policy for all agents that do not learn.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="Set any setting, such as gamma=0.98.")
    ] = None,
    config_file: Annotated[
        Path | None,
        typer.Option("--config", help="File of settings: YAML, or config.json of a training run."),
    ] = None,
    demonstrations: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="Learn the actions of this dataset of Minari or LeRobot first; without --steps, "
            "nothing else.",
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(help="Resume the training run in this folder, with its task and settings."),
    ] = None,
    episodes: Annotated[
        int, typer.Option(min=1, help="Episodes to play with the trained policy afterwards.")
    ] = 3,
    video: Annotated[bool, typer.Option(help="Film the first of these episodes.")] = True,
    record: Annotated[
        bool, typer.Option("--record", help="Record these episodes, for `view` and `verify`.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the results; runs/TASK/DATE_SEED by default.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Trains policies with PPO, and plays them.

    PPO comes from Stable-Baselines3. All results go to one folder. Ctrl-C, SIGTERM and SIGHUP end
    the training and keep the policies and a checkpoint, which --resume continues; the exit status
    is 130, 143 or 129.
    """
    console = Console(file=sys.stderr if as_json else sys.stdout)
    chosen: dict[str, Any] = {
        "steps": 0 if demonstrations is not None and steps is None else steps,
        "worlds": worlds, "backend": backend, "agent": agent, "others": others, "seed": seed,
        "demonstrations": demonstrations,
    }  # fmt: skip
    given = {key: value for key, value in chosen.items() if value is not None}
    with stoppable() as stop:
        interrupted = False
        trained: dict[Path, list[Episode]] = {}
        try:
            with contextlib.redirect_stdout(sys.stderr) if as_json else contextlib.nullcontext():
                if policies:
                    given["policies"] = parse_policies(policies)
                if resume is not None:
                    if settings or config_file or out or seeds > 1 or given.keys() - {"steps"}:
                        raise TaskError("--resume keeps all settings of its folder but --steps")
                    given = {**settings_of(resume / CONFIG), **given}
                    name = name or task_folder_of(resume / CONFIG)
                found = find_task(name, root)
                task = load_task(found.folder)
                if record:
                    required("deepsim_viewer", "view")  # before the work
                config = TrainingConfig().changed(task.training)
                if config_file is not None:
                    config = config.changed(settings_of(config_file))
                config = config.changed({**parse_settings(settings or ()), **given})
                task.variant(found.options)  # which may not be there
                config = replace(config, make={**config.make, **found.options})
                for number in range(seeds):
                    own = replace(config, seed=config.seed + number)
                    place = out / f"seed_{own.seed}" if out and seeds > 1 else out
                    folder = resume or run_folder(found.name, own.seed, place)
                    done: list[Episode] = []
                    with results_folder(folder) as results, one_writer(results):
                        interrupted = _train(console, found, task, own, results, resume is not None)
                        if not interrupted:
                            file = results / _RECORDING if record else None
                            played = _play(
                                console, results, found, task, own, episodes, video, file
                            )
                            done, interrupted = played.episodes, played.interrupted
                        for file in sorted(results.iterdir()):
                            say(console, f"wrote {file}")
                    trained[results] = done
                    # Such as ./trained, since the name alone is that of a policy.
                    named = os.path.join(".", results) if len(results.parts) == 1 else str(results)
                    again = ["deepsim", "run", name, "--policy", named]
                    again += [] if root == Path() else ["--in", str(root)]
                    say(console, f"to run it: {shlex.join(again)}")
                    if interrupted:
                        break
                if len(trained) > 1:
                    words = ["deepsim", "curves", *map(str, trained)]
                    say(console, f"to compare them: {shlex.join(words)}")
        except DeepSimError as error:
            fail(console, error)
        if as_json:
            rows = [
                {"folder": str(folder), "episodes": [facts(episode) for episode in done]}
                for folder, done in trained.items()
            ]
            print_json(rows[0] if seeds == 1 else rows)
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
    """Trains the policies; returns whether a signal ended the training early."""
    try:
        # An extra that only this command needs, and that takes seconds to import.
        from deepsim_train.training.ppo import train as learn  # noqa: PLC0415 (see above)
    except ImportError as error:
        raise TaskError(str(error)) from error
    changed = write_setup(folder, found.folder, found.id, config)
    for change in changed:
        say(console, f"changed since the run was last started: {change}", "warned")
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
            say(console, f"to go on: {again}")
    return training.interrupted


def _play(
    console: Console,
    folder: Path,
    found: TaskFolder,
    task: Task,
    config: TrainingConfig,
    episodes: int,
    video: bool,
    record: Path | None,
) -> Played:
    """Plays the trained policy in one world, and writes the same files as `deepsim run`."""
    options = variant_of(config.make, task)
    settings = Playing(
        title=(task.name, "trained"),
        episodes=episodes,
        seed=config.seed,
        video=None if video else VideoFormat.NONE,
    )
    with config.on_backend():
        environment = task.environment(config.seed, **options)
    made = run_facts(replace(found, options=options), config.seed, config.backend or DEFAULT)
    with environment, recorder(environment, record, settings, made) as through:
        policy = slot_policy(policy_of(folder, task), environment, config.seed)
        return play(console, task, environment, policy, folder, settings, through)


def curves(
    folders: Annotated[list[Path], typer.Argument(help="Folders of training runs: runs/walk/*.")],
    column: Annotated[str, typer.Option(help="A column of progress.csv.")] = REWARD,
    out: Annotated[Path, typer.Option(help="The picture: PNG, SVG or PDF.")] = Path("curves.png"),
    as_json: AsJson = False,
) -> None:
    """Compares training runs: the mean over seeds, in a band of one standard deviation.

    Runs with equal settings but their seeds are one curve, up to the end of the shortest. A run
    that was repeated with the same seed counts once.
    """
    console = Console(stderr=as_json)
    try:
        found = curves_of(folders, column)
        write_curves(out, found, column)
    except (DeepSimError, OSError, ValueError) as error:
        fail(console, error)
    rows = [curve.end(column) for curve in found]
    if as_json:
        print_json(rows)
    else:
        short = [{k: f"{v:.4g}" if isinstance(v, float) else v for k, v in r.items()} for r in rows]
        console.print(table(short, right=(column, "deviation")))
    for folder in (folder for curve in found for folder in curve.repeated):
        say(console, f"left out {folder}: another run has the same settings and seed")
    say(console, f"wrote {out}")
