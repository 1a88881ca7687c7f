# SPDX-License-Identifier: Apache-2.0
"""Places for calls that wait, of which there are only so many."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Places:
    """When all places are taken, the oldest of the peer that has most gives way to a new one.

    So no peer locks the others out, however many places it asks for.

    Args:
        most: How many there are.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: dict[object, tuple[str, Callable[[], None]]] = {}
        self._lock = threading.Lock()

    @contextmanager
    def taken(self, peer: str, give_way: Callable[[], None]) -> Iterator[None]:
        """Takes a place.

        Args:
            peer: Whose it is.
            give_way: Called, in another thread, when the place is needed; must not wait.
        """
        place = object()
        with self._lock:
            if len(self._taken) >= self._most:
                counts = Counter(other for other, _ in self._taken.values())
                oldest = max(self._taken, key=lambda taken: counts[self._taken[taken][0]])
                self._taken.pop(oldest)[1]()
            self._taken[place] = peer, give_way
        try:
            yield
        finally:
            with self._lock:
                self._taken.pop(place, None)
