# SPDX-License-Identifier: Apache-2.0
"""Hands the latest of something from one thread to another."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Mailbox(Generic[T]):
    """Holds one thing; a newer one takes the place of one that nobody took."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._latest: T | None = None
        self._closed = False

    def put(self, thing: T) -> None:
        """Leaves a thing; it never waits for the reader."""
        with self._changed:
            self._latest = thing
            self._changed.notify()

    def close(self) -> None:
        """Ends the iteration; a thing that was not taken is dropped."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def __iter__(self) -> Iterator[T]:
        """Waits for things, and yields the latest each time, until it is closed."""
        while True:
            with self._changed:
                while self._latest is None and not self._closed:
                    self._changed.wait()
                if self._closed:
                    return
                thing, self._latest = self._latest, None
            if thing is not None:
                yield thing
