# SPDX-License-Identifier: Apache-2.0
"""Temporary folders that are removed even if their process was killed."""

from __future__ import annotations

import atexit
import glob
import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Iterator

try:
    import fcntl
except ImportError:
    _LOCKS = False  # on Windows, where abandoned folders stay
else:
    _LOCKS = True

_LOCK = ".lock"
_locks: dict[Path, int] = {}


def make_temporary_folder(prefix: str, within: Path | None = None) -> Path:
    """Creates a folder that only its user may read, and removes folders of dead processes.

    Each folder holds a file that its process locks. The system releases the lock however the
    process ends, so a folder without a lock must have been abandoned.

    Args:
        prefix: Start of the folder's name, such as ``"deepsim-mujoco-"``. Abandoned folders with
            the same prefix are removed.
        within: The parent folder; by default the system's folder for temporary files.
    """
    place = Path(tempfile.gettempdir()) if within is None else within
    _clear(prefix, place)
    # It gets its final name only when it is locked, so that nobody takes it for an abandoned one.
    new = Path(tempfile.mkdtemp(prefix=f".{prefix}", dir=str(place)))
    if _LOCKS:
        lock = os.open(str(new / _LOCK), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
    folder = new.with_name(new.name[1:])
    new.rename(folder)
    if _LOCKS:
        _locks[folder] = lock
    return folder


def remove_temporary_folder(folder: Path) -> None:
    """Removes a folder that `make_temporary_folder` made, if it still exists."""
    shutil.rmtree(str(folder), ignore_errors=True)
    lock = _locks.pop(folder, None)
    if lock is not None:
        os.close(lock)


@contextmanager
def temporary_folder(prefix: str, within: Path | None = None) -> Iterator[Path]:
    """Yields a folder from `make_temporary_folder`, and removes it afterwards."""
    folder = make_temporary_folder(prefix, within)
    try:
        yield folder
    finally:
        remove_temporary_folder(folder)


def process_folder(prefix: str) -> Path:
    """Returns the one folder with this prefix of the process, removed when the process ends.

    A forked process has its own.
    """
    return _process_folder(prefix, os.getpid())


@lru_cache(maxsize=None)
def _process_folder(prefix: str, pid: int) -> Path:
    folder = make_temporary_folder(prefix)
    atexit.register(_remove_of_process, folder, pid)
    return folder


def _remove_of_process(folder: Path, pid: int) -> None:
    if os.getpid() == pid:  # not in a forked process, which inherits the registration
        remove_temporary_folder(folder)


def _clear(prefix: str, place: Path) -> None:
    """Removes the folders that dead processes of this user left behind."""
    if not _LOCKS:
        return
    for folder in place.glob(f"{glob.escape(prefix)}*"):
        if folder in _locks:
            continue
        with suppress(OSError):  # another user's, or being removed by another process
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
                continue
            lock = os.open(str(folder / _LOCK), os.O_RDWR | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(str(folder), ignore_errors=True)
            finally:
                os.close(lock)
