# SPDX-License-Identifier: Apache-2.0
"""`deepsim export`: writes a trained policy as an ONNX model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from deepsim_sync import DeepSimError
from deepsim_train.policies.trained_policy import policy_file, trained_policies
from deepsim_train.task_code import TaskError
from deepsim_train.tasks.loading import load_task
from deepsim_train.training.run_folder import CONFIG, settings_of, task_folder_of

from .options import fail


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
