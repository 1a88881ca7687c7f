# SPDX-License-Identifier: Apache-2.0
"""Places for calls that wait, of which there are only so many."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Places:
    """When all `most` places are taken, the oldest of the peer with most gives way to a new one.

    So no peer locks the others out, however many places it asks for.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: dict[object, tuple[str, Callable[[], None]]] = {}
        self._lock = threading.Lock()

    @contextmanager
    def taken(self, peer: str, give_way: Callable[[], None]) -> Iterator[None]:
        """Takes a place for a peer.

        `give_way` is called, in another thread, when the place is needed; it must not wait.
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
