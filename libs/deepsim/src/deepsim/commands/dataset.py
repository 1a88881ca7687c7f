# SPDX-License-Identifier: Apache-2.0
"""`deepsim dataset`: writes episodes of a task as a dataset of Minari or LeRobot."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from deepsim.output import say
from deepsim_envs import Environment, Trajectory
from deepsim_sync import DeepSimError
from deepsim_train.episodes import collect_episodes, replay_episodes, write_episodes
from deepsim_train.policies.slot_policy import slot_policy
from deepsim_train.task_code import TaskError
from deepsim_train.training.run_folder import chosen

from .options import Root, TaskName, Worlds, fail, stoppable


class Format(str, Enum):
    """The format of a dataset."""

    MINARI = "minari"
    LEROBOT = "lerobot"


def dataset(
    name: TaskName = "",
    root: Root = Path(),
    dataset_id: Annotated[
        str | None,
        typer.Option("--id", help="By default deepsim/TASK/POLICY-v0, or deepsim/TASK_POLICY."),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(help="The policy that acts: one of the task, or a folder of `deepsim train`."),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(help="The agents to write, such as 'red_*' or red,blue; by default all."),
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
        typer.Option("--root", help="Folder of all datasets; by default that of the format."),
    ] = None,
    format: Annotated[Format, typer.Option(help="The format of the dataset.")] = Format.MINARI,
) -> None:
    """Writes episodes of a task as a dataset of Minari, or of LeRobot in its format v3.0.

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

            def collect(environment: Environment) -> list[Trajectory]:
                if recorded is not None:
                    return replay_episodes(environment, recorded)
                act = slot_policy(maker, environment, seed)
                return collect_episodes(environment, act, episodes, seed)

            who = who if recorded is None else "recorded"
            minari = format is Format.MINARI
            id = dataset_id or f"deepsim/{found.name}{f'/{who}-v0' if minari else f'_{who}'}"
            with console.status(f"collecting episodes of {task.name}"):
                written, count, steps = write_episodes(
                    format.value, found, task, collect, id, worlds, seed, agent, who, datasets
                )
        except DeepSimError as error:
            fail(console, error)
    say(console, f"{id}: {count} episodes, {steps} steps")
    say(console, f"wrote {written}")
