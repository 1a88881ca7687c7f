# SPDX-License-Identifier: Apache-2.0
"""`deepsim export`: writes a trained policy as an ONNX model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from deepsim.tasks.task_code import TaskError
from deepsim.training.trained_policy import FILE, TrainedPolicy
from deepsim_sync import DeepSimError

from .options import fail


def export(
    policy: Annotated[
        Path, typer.Argument(help="A folder of `deepsim train`, or of a task with a policy.npz.")
    ],
    out: Annotated[
        Path | None, typer.Option(help="The file; by default policy.onnx in that folder.")
    ] = None,
) -> None:
    """Writes a trained policy as an ONNX model.

    `deepsim run --policy FILE.onnx` plays it. It holds the scales of observations and the bounds of
    actions too, and chooses the most likely action.
    """
    console = Console()
    try:
        try:
            # An extra, for this command alone.
            from deepsim.training.onnx_file import write_onnx  # noqa: PLC0415 (see above)
        except ImportError as error:
            raise TaskError(str(error)) from error
        file = out if out is not None else (policy / FILE).with_suffix(".onnx")
        write_onnx(TrainedPolicy.load(policy / FILE), file)
    except DeepSimError as error:
        fail(console, error)
    console.print(f"wrote {file}", highlight=False, soft_wrap=True)
