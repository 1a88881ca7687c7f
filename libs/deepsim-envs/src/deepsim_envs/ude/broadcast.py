# SPDX-License-Identifier: Apache-2.0
"""One sender, many readers; one that reads too slowly loses its place, and nobody else does."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Subscription(Generic[T]):
    """What one reader has yet to read; iterating waits for more, until `end`.

    Args:
        most: How much may wait.

    Attributes:
        is_late: Whether it ended as too much waited.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._waiting: deque[T] = deque()
        self._changed = threading.Condition()
        self._ended = False
        self.is_late = False

    def put(self, item: T) -> None:
        """Appends an item, or ends if too many wait."""
        with self._changed:
            if len(self._waiting) >= self._most:
                self.is_late = self._ended = True
            else:
                self._waiting.append(item)
            self._changed.notify()

    def end(self) -> None:
        """Lets the reader go, with what waits."""
        with self._changed:
            self._ended = True
            self._changed.notify()

    def __iter__(self) -> Iterator[T]:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._ended)
                if not self._waiting:
                    return
                item = self._waiting.popleft()
            yield item


class Broadcast(Generic[T]):
    """Sends items to all subscriptions.

    Args:
        most: How many items may wait for one reader.
    """

    def __init__(self, most: int = 256) -> None:
        self._most = most
        self._readers: set[Subscription[T]] = set()
        self._lock = threading.Lock()
        self._ended = False

    def subscribe(self) -> Subscription[T]:
        """A reader of all items from now on."""
        reader = Subscription[T](self._most)
        with self._lock:
            if self._ended:
                reader.end()
            self._readers.add(reader)
        return reader

    def unsubscribe(self, reader: Subscription[T]) -> None:
        """Forgets a reader."""
        with self._lock:
            self._readers.discard(reader)

    def send(self, item: T) -> None:
        """Sends an item to everybody; never waits for anybody."""
        with self._lock:
            for reader in self._readers:
                reader.put(item)

    def end(self) -> None:
        """Lets all readers go, those to come as well."""
        with self._lock:
            self._ended = True
            for reader in self._readers:
                reader.end()
