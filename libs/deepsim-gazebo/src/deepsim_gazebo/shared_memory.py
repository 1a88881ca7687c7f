# SPDX-License-Identifier: Apache-2.0
"""Files that a server and this process map into memory, and calls through such a file.

The layout of a mailbox is declared in gazebo_batch_state/mailbox.hpp, in the byte order of the
machine: a header, space for a request, and space for the reply, which extends to the end of the
file and may grow. Requests are numbered; the server sets the same number when it has answered.

This relies on stores in program order, as on x86-64, or on the barrier of the system call.
"""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import platform
import struct
import time
from typing import NamedTuple

from .errors import CallLostError, CallRefusedError, CallTimeoutError, GazeboError

MAGIC = int.from_bytes(b"DSMAIL01", "little")
VERSION = 2

# magic, version, start of the request, size of the file, start of the reply
_HEADER = struct.Struct("=QIIQQ")
_SIZE_AT = 16
_BELL_AT, _POSTED_AT, _ANSWERED_AT, _CLOSED_AT = 32, 36, 40, 44
_REQUEST_SIZE_AT = 48
_REPLY_AT = 56  # size of the reply, whether it is a failure
_HEADER_SIZE = 128
_SIZE = struct.Struct("=Q")
_REPLY = struct.Struct("=QI")
_WORD = struct.Struct("=I")

_LOOK_AROUND = 0.05  # interval of the checks that the server is still running [s]


_FUTEX = {"x86_64": 202, "aarch64": 98}  # of the system call, by machine
_WAIT, _WAKE = 0, 1
_EVERYBODY = 2**31 - 1
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


class _Timespec(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


class Futex:
    """A word in memory that processes share.

    Args:
        memory: A writable buffer, such as a `mmap.mmap`.
        offset: Position of the word [bytes], a multiple of 4.

    Raises:
        SharedFileError: Futexes are not supported on this machine.
    """

    def __init__(self, memory: object, offset: int) -> None:
        number = _FUTEX.get(platform.machine())
        if platform.system() != "Linux" or number is None:
            raise SharedFileError(f"no futex is known on {platform.system()} {platform.machine()}")
        self._number = ctypes.c_long(number)
        self._call = ctypes.CDLL(None).syscall
        self._word = ctypes.c_uint32.from_buffer(memory, offset)  # type: ignore[arg-type]
        self._address = ctypes.c_void_p(ctypes.addressof(self._word))

    @property
    def value(self) -> int:
        """The present value, 0 to 2^32 - 1."""
        return self._word.value

    def wake(self, value: int) -> None:
        """Sets the value, modulo 2^32, and wakes all waiting processes."""
        self._word.value = value
        self._call(self._number, self._address, _WAKE, _EVERYBODY, None, None, 0)

    def wait(self, value: int, seconds: float) -> None:
        """Waits up to `seconds` (< 1) to be woken; returns at once if the word is not `value`.

        Spurious returns are possible.
        """
        limit = ctypes.byref(_Timespec(0, int(seconds * 1e9)))
        self._call(self._number, self._address, _WAIT, ctypes.c_uint32(value), limit, None, 0)


class Mailbox:
    """The client's end of a mailbox; not thread-safe.

    After any failure but `CallRefusedError`, it must be closed.

    Args:
        file: The file as announced by the server.
        timeout: Longest wait for an answer [s].

    Raises:
        SharedFileError: The file cannot be opened here or has an unknown layout, or futexes are not
            supported on this machine.
    """

    def __init__(self, file: SharedFile, timeout: float) -> None:
        self._path = file.path
        self._timeout = timeout
        self._number = 0
        self._file = opened(file, os.O_RDWR)
        try:
            fcntl.flock(self._file, fcntl.LOCK_SH)  # shows the server that it is in use
            self._map()
            magic, version, self._request_at, _, self._reply_at = _HEADER.unpack_from(self._memory)
            fits = _HEADER_SIZE <= self._request_at <= self._reply_at <= len(self._memory)
            self._room: int = self._reply_at - self._request_at
            if magic != MAGIC or version != VERSION or not fits:
                raise SharedFileError(
                    f"{file.path} has magic {magic:#x} and version {version}, not those of a "
                    "mailbox; use the plugin of the same release"
                )
        except BaseException:
            self.close()
            raise

    def fits(self, body: bytes) -> bool:
        """Returns whether there is room for a request."""
        return len(body) <= self._room

    def call(self, body: bytes, asked: object) -> bytes:
        """Makes one call.

        Args:
            body: The serialised request; it must fit.
            asked: Description of the request for error messages; formatted only in an error.

        Raises:
            CallLostError: The server is gone.
            CallTimeoutError: No answer in time.
            CallRefusedError: The server reports a failure.
        """
        memory = self._memory
        memory[self._request_at : self._request_at + len(body)] = body
        _SIZE.pack_into(memory, _REQUEST_SIZE_AT, len(body))
        self._number = self._number % 0xFFFFFFFF + 1
        _WORD.pack_into(memory, _POSTED_AT, self._number)
        self._bell.wake(self._bell.value + 1)
        self._wait(asked)
        if _SIZE.unpack_from(memory, _SIZE_AT) != (len(memory),):
            self._map()  # the reply did not fit
        size, failed = _REPLY.unpack_from(self._memory, _REPLY_AT)
        reply = self._memory[self._reply_at : self._reply_at + size]
        if failed:
            reason = reply.decode("utf-8", "replace")
            raise CallRefusedError(f"exchange failed: {reason}; asked: {asked}")
        return reply

    def close(self) -> None:
        """Unlocks and closes the file; the server can then accept another client."""
        fcntl.flock(self._file, fcntl.LOCK_UN)  # the mapping has its own descriptor
        os.close(self._file)

    def _wait(self, asked: object) -> None:
        deadline = time.monotonic() + self._timeout
        answered, patience = self._answered, min(_LOOK_AROUND, self._timeout)
        while True:
            number = answered.value
            if number == self._number:
                return
            if _WORD.unpack_from(self._memory, _CLOSED_AT) != (0,):
                self._lose(asked)
            answered.wait(number, patience)
            if time.monotonic() > deadline and answered.value != self._number:
                raise CallTimeoutError(
                    f"the mailbox {self._path} did not answer within {self._timeout:g} s; "
                    f"asked: {asked}"
                )
            if answered.value == number and is_abandoned(self._file):
                self._lose(asked)

    def _lose(self, asked: object) -> None:
        raise CallLostError(
            f"the server of the mailbox {self._path} is gone; asked: {asked}; it may have been "
            "done or not; the next call reconnects"
        )

    def _map(self) -> None:
        self._memory = mmap.mmap(self._file, os.fstat(self._file).st_size)
        self._bell = Futex(self._memory, _BELL_AT)
        self._answered = Futex(self._memory, _ANSWERED_AT)
