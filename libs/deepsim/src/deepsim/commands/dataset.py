# SPDX-License-Identifier: Apache-2.0
"""`deepsim dataset` and `export`: episodes as a dataset, and trained policies as ONNX models."""

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
from deepsim_train.policies.trained_policy import policy_file, trained_policies
from deepsim_train.task_code import TaskError
from deepsim_train.tasks.loading import load_task
from deepsim_train.training.run_folder import CONFIG, chosen, settings_of, task_folder_of

from .options import Root, TaskName, Worlds, fail, stoppable, without_effect


class Format(str, Enum):
    """The format of a dataset."""

    MINARI = "minari"
    LEROBOT = "lerobot"


def dataset(
    context: typer.Context,
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
            if recorded is not None:
                without_effect(context, "on a replay", "policy", "episodes")
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


def export(
    policy: Annotated[
        Path,
        typer.Argument(help="The folder of a training run, or of a task with a policy.npz."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="Output file; by default policy.onnx or policy_NAME.onnx there."),
    ] = None,
) -> None:
    """Writes each trained policy of a folder as an ONNX model.

    `deepsim run --policy FILE.onnx` runs it. The model scales observations, chooses the most likely
    action and clips it to its bounds. The memory of a recurrent policy is an input and an output.
    Its metadata name inputs, outputs and agents, and give units and the rate of actions; the last
    three come from the task, whose code runs.
    """
    console = Console()
    try:
        try:
            # An extra, for this command alone.
            from deepsim_train.training.onnx_file import (  # noqa: PLC0415 (see above)
                task_facts,
                write_onnx,
            )
        except ImportError as error:
            raise TaskError(str(error)) from error
        found = trained_policies(policy)
        if out is not None and len(found) > 1:
            raise TaskError(f"--out is the file of one policy, but {policy} holds {len(found)}")
        facts = {}
        try:
            config = policy / CONFIG
            options = settings_of(config).get("make", {}) if config.is_file() else {}
            task = load_task(task_folder_of(config) if config.is_file() else policy)
            with task.environment(**options) as environment:
                facts = task_facts(environment)
        except DeepSimError as error:
            console.print(f"without agents and rate in the metadata: {error}", soft_wrap=True)
        written = []
        for name, each in found.items():
            default = (policy / policy_file(name)).with_suffix(".onnx")
            written.append(out if out is not None else default)
            write_onnx(each, written[-1], facts)
    except DeepSimError as error:
        fail(console, error)
    for file in written:
        console.print(f"wrote {file}", highlight=False, soft_wrap=True)
