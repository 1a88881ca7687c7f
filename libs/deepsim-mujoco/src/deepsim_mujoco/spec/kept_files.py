# SPDX-License-Identifier: Apache-2.0
"""Private copies of the files that models use."""

from __future__ import annotations

import os
import weakref
from hashlib import sha256
from pathlib import Path
from threading import RLock

from deepsim_sync.temporary_folders import process_folder


class KeptFile:
    """A private copy of a file, which exists as long as this object.

    MuJoCo opens mesh files at every compilation, and caches the results in the process by path and
    modification time in seconds. For this cache, equal contents have the same path and modification
    time in the whole process, and different contents have different paths.
    """

    def __init__(self, path: Path, content: bytes) -> None:
        self.path = path
        self._content = content

    def restore(self) -> None:
        """Writes the file again if it is missing; systems delete old temporary files."""
        if not self.path.exists():
            self.path.parent.mkdir(mode=0o700, exist_ok=True)
            self.path.write_bytes(self._content)
            os.utime(self.path, (0, 0))


_kept: weakref.WeakValueDictionary[str, KeptFile] = weakref.WeakValueDictionary()
_lock = RLock()  # re-entrant, because garbage may be collected at any time


def keep(content: bytes, suffix: str) -> KeptFile:
    """Returns the one copy with the given content, which it writes if necessary."""
    name = sha256(content).hexdigest() + suffix
    with _lock:
        file = _kept.get(name)
        if file is None:
            pid = os.getpid()
            file = _kept[name] = KeptFile(process_folder("deepsim-mujoco-") / name, content)
            weakref.finalize(file, _drop, file.path, pid).atexit = False
        file.restore()
    return file


def _drop(path: Path, pid: int) -> None:
    """Removes the file of a deleted copy unless a new copy has the same content."""
    with _lock:
        if path.name not in _kept and os.getpid() == pid:
            path.unlink(missing_ok=True)
