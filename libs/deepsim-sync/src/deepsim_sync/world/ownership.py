# SPDX-License-Identifier: Apache-2.0
"""The thread that owns a world, and the calls that other threads post to it."""

from __future__ import annotations

import threading
from collections import deque
from threading import get_ident
from typing import Callable, NoReturn

from deepsim_sync.errors import ClosedWorldError, WrongThreadError


class Ownership:
    """Refuses calls from other threads, and all calls after `close`.

    Attributes:
        thread: The identifier of the owning thread.
        posted: Functions that the next tick calls, oldest first.
    """

    def __init__(self) -> None:
        self.posted: deque[Callable[[], object]] = deque()  # appending is safe from any thread
        self._closed = False
        self.claim()

    def claim(self) -> None:
        """Hands the world to the thread that calls this."""
        if self._closed:
            raise ClosedWorldError
        self.thread = get_ident()
        self._name = threading.current_thread().name

    def require(self) -> None:
        """Refuses calls from other threads than the owner."""
        if get_ident() != self.thread:
            self.refuse()

    def refuse(self) -> NoReturn:
        """Raises the error that says why the caller may not use the world."""
        if self._closed:
            raise ClosedWorldError
        raise WrongThreadError(self._name, threading.current_thread().name)

    def close(self) -> None:
        """Refuses all later calls."""
        self._closed = True
        self.thread = -1  # no thread has this number
