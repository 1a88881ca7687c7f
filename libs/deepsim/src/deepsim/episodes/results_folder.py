# SPDX-License-Identifier: Apache-2.0
"""The folder that a command writes to, checked before the work."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile

from deepsim.task_code import TaskError


@contextlib.contextmanager
def results_folder(folder: Path) -> Iterator[Path]:
    """Yields a folder that can be written to; new folders that stay empty are removed afterwards.

    Args:
        folder: An existing folder, or one to create with its parents.

    Raises:
        TaskError: It cannot be made or written to.
    """
    new = [each for each in (folder, *folder.parents) if not os.path.exists(each)]
    try:
        _require_writable(folder)
        yield folder
    finally:
        for each in new:
            with contextlib.suppress(OSError):  # it is not empty, or was never made
                each.rmdir()


def _require_writable(folder: Path) -> None:
    for each in (folder, *folder.parents):
        if os.path.exists(each) and not each.is_dir():
            raise TaskError(
                f"cannot write to {folder}: {'it' if each == folder else each} is a file"
            )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise TaskError(f"cannot write to {folder}: {error.strerror or error}") from error
