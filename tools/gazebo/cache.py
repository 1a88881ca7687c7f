# SPDX-License-Identifier: Apache-2.0
"""Where the root and the built plugin lie: a cache folder outside the clone.

`$DEEPSIM_CACHE`, else `$XDG_CACHE_HOME/deepsim`, else `~/.cache/deepsim`; in it, `gazebo11/`:

    root/                the Debian 11 root, shared by all clones
    root.stamp           the recipe that the root was made by; missing while it is being made
    root.lock            held shared by whoever uses the root, exclusively by whoever makes it
    build/NAME-HASH/     one folder for each clone, named after the clone and its path
        <package>/       the build folder of each package of plugins/gazebo-batch-state
        install/         where they are installed
        python3.9/       what the tests need in the root's Python
        logs/            what the servers of the last run whose command failed have printed
        lock             held while they are being built
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CLONE = Path(__file__).resolve().parents[2]
"""The clone that this file belongs to."""


class GazeboHostError(Exception):
    """Gazebo cannot be set up, built or started; the message says why and what to do."""


def folder() -> Path:
    """The cache folder of the Gazebo host, an absolute path without links."""
    chosen = os.environ.get("DEEPSIM_CACHE")
    if chosen:
        return Path(chosen).resolve() / "gazebo11"
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches).resolve() / "deepsim" / "gazebo11"


def root() -> Path:
    """The Debian 11 root."""
    return folder() / "root"


def build(clone: Path = CLONE) -> Path:
    """The folder in which the plugin of `clone` is built."""
    key = hashlib.sha256(str(clone).encode()).hexdigest()[:8]
    return folder() / "build" / f"{clone.name}-{key}"


def install() -> Path:
    """The prefix under which the plugin of this clone and its messages are installed."""
    return build() / "install"


@contextmanager
def locked(file: Path, *, shared: bool = False, waits_for: str) -> Iterator[None]:
    """Hold a lock on `file`, which is made if need be; wait for it, and say so, if it is taken.

    The kernel frees the lock when its holder ends, however it ends.

    Args:
        file: the lock file; its contents do not matter.
        shared: whether others may hold it at the same time, if they too share it.
        waits_for: what the holder is doing, for the line that is printed before waiting.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    with file.open("a", encoding="utf-8") as handle:
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"waiting for another run of tools/gazebo: {waits_for}", file=sys.stderr)
            fcntl.flock(handle, kind)
        yield
