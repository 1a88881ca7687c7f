# SPDX-License-Identifier: Apache-2.0
"""Waiting until another process changes a word of shared memory; see futex(2)."""

from __future__ import annotations

import ctypes
import platform

from .shared_file import SharedFileError

_NUMBERS = {"x86_64": 202, "aarch64": 98}  # of the system call, by machine
_WAIT, _WAKE = 0, 1
_EVERYBODY = 2**31 - 1


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
        number = _NUMBERS.get(platform.machine())
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
