# SPDX-License-Identifier: Apache-2.0
"""Records a world while `play` runs."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from deepsim_sync import World
from deepsim_train.task_code import TaskError

from .playing import Playing


def recorder(world: World, path: Path | None, settings: Playing) -> AbstractContextManager[object]:
    """Returns a context manager that records a world; without a path, one that does nothing.

    Args:
        world: The world to record.
        path: Output file (.mcap), or None.
        settings: Settings of `play`; the file stores task, policy and seed.

    Raises:
        TaskError: The suffix is not .mcap, the extra for recordings is not installed, or the file
            cannot be written.
    """
    if path is None:
        return nullcontext()
    if path.suffix != ".mcap":
        raise TaskError(f"a recording is an .mcap file, got {path}")
    try:
        from deepsim_viewer import WorldRecorder  # noqa: PLC0415 (of an extra)
    except ImportError:
        raise TaskError("recordings are an extra: pip install 'deepsim[view]'") from None
    task, policy = settings.title
    metadata = {"task": task, "policy": policy, "seed": str(settings.seed)}
    try:
        return WorldRecorder(world, path, metadata=metadata)
    except OSError as error:
        raise TaskError(f"cannot write to {path}: {error.strerror or error}") from error
