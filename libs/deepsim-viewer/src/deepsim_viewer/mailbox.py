# SPDX-License-Identifier: Apache-2.0
"""Passes the latest object from one thread to another."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Mailbox(Generic[T]):
    """A place for one object; a newer object replaces one that was not taken."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._latest: T | None = None
        self._closed = False

    def put(self, thing: T) -> None:
        """Stores an object without waiting for the reader."""
        with self._changed:
            self._latest = thing
            self._changed.notify()

    def close(self) -> None:
        """Ends the iteration and drops an object that was not taken."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def __iter__(self) -> Iterator[T]:
        """Yields the latest object, then waits for a newer one, until the mailbox is closed."""
        while True:
            with self._changed:
                while self._latest is None and not self._closed:
                    self._changed.wait()
                if self._closed:
                    return
                thing, self._latest = self._latest, None
            if thing is not None:
                yield thing
