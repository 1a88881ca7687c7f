# SPDX-License-Identifier: Apache-2.0
"""`deepsim dataset`: writes episodes of a task as a Minari dataset."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from deepsim.output import say
from deepsim_envs import Environment, PolicyMaker, Trajectory, TrajectoryCollector, replay
from deepsim_sync import DeepSimError
from deepsim_train.episodes import collect_episodes, learnable
from deepsim_train.policies.slot_policy import slot_policy
from deepsim_train.task_code import TaskError
from deepsim_train.tasks.task import Task
from deepsim_train.training.run_folder import chosen

from .options import Root, TaskName, Worlds, fail, stoppable

Collect = Callable[[Environment], list[Trajectory]]


def dataset(
    name: TaskName = "",
    root: Root = Path(),
    dataset_id: Annotated[
        str | None, typer.Option("--id", help="By default deepsim/TASK/POLICY-v0.")
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(help="The policy that acts: one of the task, or a folder of `deepsim train`."),
    ] = None,
    agent: Annotated[
        str | None, typer.Option(help="The agent to write; by default all agents.")
    ] = None,
    episodes: Annotated[int, typer.Option(min=1, help="Number of episodes in each world.")] = 10,
    worlds: Worlds = 1,
    seed: Annotated[int, typer.Option(min=0, help="World w has the seed SEED + w.")] = 0,
    recorded: Annotated[
        Path | None,
        typer.Option("--replay", help="Convert these recorded episodes; run no policy."),
    ] = None,
    datasets: Annotated[
        Path | None,
        typer.Option("--root", help="Folder of all datasets; by default that of Minari."),
    ] = None,
) -> None:
    """Writes episodes of a task as a Minari dataset.

    Each agent's episode becomes an episode of the dataset. A dataset is written as a whole or not
    at all, and never overwrites an existing one. After Ctrl-C, SIGTERM or SIGHUP,
    nothing is written.
    """
    console = Console()
    with stoppable():
        try:
            if recorded is not None and policy is not None:
                raise TaskError("--replay runs recorded actions, and takes no --policy")
            found, task, who, maker = chosen(name, root, policy)
            collect = _played(maker, episodes, seed)
            if recorded is not None:
                who, collect = "recorded", _replayed(recorded)
            id = dataset_id or f"deepsim/{found.name}/{who}-v0"
            with console.status(f"collecting episodes of {task.name}"):
                written, count, steps = _write(
                    task, collect, id, worlds, seed, agent, who, datasets
                )
        except DeepSimError as error:
            fail(console, error)
    say(console, f"{id}: {count} episodes, {steps} steps")
    say(console, f"wrote {written}")


def _played(maker: PolicyMaker, episodes: int, seed: int) -> Collect:
    def collect(environment: Environment) -> list[Trajectory]:
        policy = slot_policy(maker, environment, seed)
        return collect_episodes(environment, policy, episodes, seed)

    return collect


def _replayed(file: Path) -> Collect:
    def collect(environment: Environment) -> list[Trajectory]:
        collector = TrajectoryCollector(environment)
        try:
            for _ in replay(collector, file):
                pass
        except OSError as error:
            raise TaskError(f"cannot read {file}: {error.strerror or error}") from error
        return collector.trajectories

    return collect


def _write(
    task: Task,
    collect: Collect,
    dataset_id: str,
    worlds: int,
    seed: int,
    agent: str | None,
    who: str,
    root: Path | None,
) -> tuple[Path, int, int]:
    """Writes a dataset; returns its folder and its numbers of episodes and steps."""
    try:
        # An extra, for this command alone.
        from deepsim_train.minari import (  # noqa: PLC0415 (see above)
            new_dataset_folder,
            write_dataset,
        )
    except ImportError as error:
        raise TaskError(
            "datasets need an extra: pip install --find-links dist 'deepsim[dataset]'"
        ) from error
    try:
        new_dataset_folder(dataset_id, root)  # before the work
        with task.environment(seed, worlds) as environment:
            shown = environment.agents[0] if agent is None else agent
            chosen = learnable(environment, collect(environment), agent)
            slot = environment.slots[environment.agents.index(shown)]
            folder = write_dataset(
                dataset_id,
                chosen,
                environment.observation_space[slot],
                environment.action_space[slot],
                root,
                algorithm_name=who,
            )
    except (ValueError, OSError) as error:
        if isinstance(error, DeepSimError):
            raise
        raise TaskError(f"cannot write the dataset {dataset_id}: {error}") from error
    return folder, len(chosen), sum(len(episode.rewards) for episode in chosen)
