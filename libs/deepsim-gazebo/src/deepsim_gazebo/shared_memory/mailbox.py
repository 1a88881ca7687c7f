# SPDX-License-Identifier: Apache-2.0
"""Calls through a file that the server and one client on its machine map into memory.

The layout is declared in gazebo_batch_state/mailbox.hpp, in the byte order of the machine: a
header, space for a request, and space for the reply, which extends to the end of the file and may
grow. Requests are numbered; the server sets the same number when it has answered.

This relies on stores in program order, as on x86-64, or on the barrier of the system call.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import struct
import time

from deepsim_gazebo.errors import CallLostError, CallRefusedError, CallTimeoutError

from .futex import Futex
from .shared_file import SharedFile, SharedFileError, is_abandoned, opened

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
