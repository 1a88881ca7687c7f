# SPDX-License-Identifier: Apache-2.0
"""The output folder of a command, which is checked before the work begins."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile

from deepsim_train.task_code import TaskError


@contextlib.contextmanager
def results_folder(folder: Path) -> Iterator[Path]:
    """Yields a writable folder; afterwards removes the folders it created if they are empty.

    Args:
        folder: An existing folder, or one to create with its parents.

    Raises:
        TaskError: The folder cannot be created or written to.
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
        TemporaryFile(dir=folder).close()
    except OSError as error:
        raise TaskError(f"cannot write to {folder}: {error.strerror or error}") from error
