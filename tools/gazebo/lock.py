# SPDX-License-Identifier: Apache-2.0
"""Locks between runs of the tool; the kernel frees them when their holder ends, however it ends."""

from __future__ import annotations

import fcntl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(file: Path, *, shared: bool = False, waits_for: str) -> Iterator[None]:
    """Hold a lock on `file`, which is made if need be; wait for it, and say so, if it is taken.

    Args:
        file: the lock file; its contents do not matter.
        shared: whether others may hold it at the same time, if they too share it.
        waits_for: what the holder is doing, for the line that is printed before waiting.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    with file.open("a") as handle:
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"waiting for another run of tools/gazebo: {waits_for}", file=sys.stderr)
            fcntl.flock(handle, kind)
        yield
