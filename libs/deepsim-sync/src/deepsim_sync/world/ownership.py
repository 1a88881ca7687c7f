# SPDX-License-Identifier: Apache-2.0
"""The one thread that a world belongs to, and the calls that other threads leave for it."""

from __future__ import annotations

import threading
from collections import deque
from threading import get_ident
from typing import Callable, NoReturn

from deepsim_sync.errors import ClosedWorldError, WrongThreadError


class Ownership:
    """Refuses calls from other threads, and all calls after the end.

    Attributes:
        thread: The identifier of the owning thread.
        posted: Functions that the next tick calls, oldest first.
    """

    def __init__(self) -> None:
        self.posted: deque[Callable[[], object]] = deque()  # appending is safe from any thread
        self._closed = False
        self.claim()

    def claim(self) -> None:
        """Hands the world to the thread that calls this.

        Raises:
            ClosedWorldError: The world is closed.
        """
        if self._closed:
            raise ClosedWorldError
        self.thread = get_ident()
        self._name = threading.current_thread().name

    def require(self) -> None:
        """Refuses a call that is not the owner's.

        Raises:
            WrongThreadError: Another thread calls.
            ClosedWorldError: The world is closed.
        """
        if get_ident() != self.thread:
            self.refuse()

    def refuse(self) -> NoReturn:
        """Raises the error that says why the caller may not use the world."""
        if self._closed:
            raise ClosedWorldError
        raise WrongThreadError(self._name, threading.current_thread().name)

    def close(self) -> None:
        """Refuses every call from now on."""
        self._closed = True
        self.thread = -1  # no thread has this number
