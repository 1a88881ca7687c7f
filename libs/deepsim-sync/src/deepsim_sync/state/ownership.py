# SPDX-License-Identifier: Apache-2.0
"""The thread that owns a world, and the functions that other threads post to it."""

from __future__ import annotations

import threading
from collections import deque
from threading import get_ident
from typing import Callable, NoReturn

from deepsim_sync.errors import ClosedWorldError, WrongThreadError


class Ownership:
    """Ownership of a world by one thread: refuses calls from others, and all calls after `close`.

    Attributes:
        thread: Identifier of the owning thread.
        posted: Functions for the next tick to call, oldest first.
    """

    def __init__(self) -> None:
        self.posted: deque[Callable[[], object]] = deque()  # appending is safe from any thread
        self._closed = False
        self.claim()

    def claim(self) -> None:
        """Transfers the world to the calling thread."""
        if self._closed:
            raise ClosedWorldError
        self.thread = get_ident()
        self._name = threading.current_thread().name

    def require(self) -> None:
        """Raises an error if the calling thread is not the owner."""
        if get_ident() != self.thread:
            self.refuse()

    def refuse(self) -> NoReturn:
        """Raises the error that explains why the caller may not use the world."""
        if self._closed:
            raise ClosedWorldError
        raise WrongThreadError(self._name, threading.current_thread().name)

    def close(self) -> None:
        """Refuses all later calls."""
        self._closed = True
        self.thread = -1  # no thread has this number
