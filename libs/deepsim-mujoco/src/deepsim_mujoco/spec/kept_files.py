# SPDX-License-Identifier: Apache-2.0
"""Copies of files, as they were when a model first used them."""

from __future__ import annotations

import atexit
import os
import weakref
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import RLock

from deepsim_sync.temporary_folders import make_temporary_folder, remove_temporary_folder


class KeptFile:
    """A private copy of a file, which lives as long as this object.

    MuJoCo opens the files of meshes at every compile. It takes the result of an earlier one from a
    cache of the process, whose key is a path and the second of its last change. So equal content
    has one path and one time in the whole process, and other content another path.
    """

    def __init__(self, path: Path, content: bytes) -> None:
        self.path = path
        self._content = content

    def restore(self) -> None:
        """Writes the file if it is missing: systems clear temporary folders of old files."""
        if not self.path.exists():
            self.path.parent.mkdir(mode=0o700, exist_ok=True)
            self.path.write_bytes(self._content)
            os.utime(self.path, (0, 0))


_kept: weakref.WeakValueDictionary[str, KeptFile] = weakref.WeakValueDictionary()
_lock = RLock()  # one that its owner may take again: garbage is collected at any time


def keep(content: bytes, suffix: str) -> KeptFile:
    """Returns the copy of some content."""
    name = sha256(content).hexdigest() + suffix
    with _lock:
        file = _kept.get(name)
        if file is None:
            pid = os.getpid()
            file = _kept[name] = KeptFile(_folder(pid) / name, content)
            weakref.finalize(file, _drop, file.path, pid).atexit = False
        file.restore()
    return file


def _drop(path: Path, pid: int) -> None:
    """Removes the file of a copy that is gone, unless another copy of the content came since."""
    with _lock:
        if path.name not in _kept and os.getpid() == pid:
            path.unlink(missing_ok=True)


@cache
def _folder(pid: int) -> Path:
    """Returns the folder of a process; one that was forked has its own."""
    folder = make_temporary_folder("deepsim-mujoco-")
    atexit.register(_clear, folder, pid)
    return folder


def _clear(folder: Path, pid: int) -> None:
    if os.getpid() == pid:
        remove_temporary_folder(folder)
