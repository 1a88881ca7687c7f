# SPDX-License-Identifier: Apache-2.0
"""`deepsim export`: writes a trained policy as an ONNX model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from deepsim_sync import DeepSimError
from deepsim_train.policies.trained_policy import policy_file
from deepsim_train.task_code import TaskError
from deepsim_train.training.run_folder import trained_policies

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
    """
    console = Console()
    try:
        try:
            # An extra, for this command alone.
            from deepsim_train.training.onnx_file import write_onnx  # noqa: PLC0415 (see above)
        except ImportError as error:
            raise TaskError(str(error)) from error
        found = trained_policies(policy)
        if out is not None and len(found) > 1:
            raise TaskError(f"--out is the file of one policy, but {policy} holds {len(found)}")
        written = []
        for name, each in found.items():
            default = (policy / policy_file(name)).with_suffix(".onnx")
            written.append(out if out is not None else default)
            write_onnx(each, written[-1])
    except DeepSimError as error:
        fail(console, error)
    for file in written:
        console.print(f"wrote {file}", highlight=False, soft_wrap=True)
