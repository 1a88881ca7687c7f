# SPDX-License-Identifier: Apache-2.0
"""A file of the server, and a check that the server still runs."""

from __future__ import annotations

import fcntl
import os
import struct
from typing import NamedTuple

from deepsim_gazebo.errors import GazeboError

_OFD_GETLK = 36  # of Linux; in `fcntl` from Python 3.9
_FLOCK = struct.Struct("hhqqi0q")  # type, whence, start, length, process


class SharedFile(NamedTuple):
    """A file of the server that can be mapped into memory.

    >>> SharedFile("/dev/shm/gazebo_batch_state", version=1, size=65536).size
    65536
    """

    path: str
    """Path in the server's file system."""
    version: int
    """Version of the layout."""
    size: int
    """Size [bytes]."""


class SharedFileError(GazeboError):
    """The file cannot be opened, or has an unknown layout."""


def opened(file: SharedFile, flags: int) -> int:
    """Opens a file and returns its descriptor.

    Raises:
        SharedFileError: The file cannot be opened here.
    """
    try:
        return os.open(file.path, flags | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise SharedFileError(
            f"{file.path} of the server cannot be opened here ({error}): are both on one "
            "machine, as one user, and is the folder the same for both?"
        ) from error


def is_abandoned(file: int) -> bool:
    """Returns whether the server of an open file has ended; it locks the file while it runs."""
    asked = _FLOCK.pack(fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0)
    answer = fcntl.fcntl(file, _OFD_GETLK, asked)
    return int(_FLOCK.unpack(answer)[0]) == fcntl.F_UNLCK
