# SPDX-License-Identifier: Apache-2.0
"""What carries requests to workers and answers back, and the one that stays in this process."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple, Protocol

from .worker import Worker


class Death(NamedTuple):
    """What comes instead of an answer if the worker died."""

    reason: str


class Carrier(Protocol):
    """Workers of one kind, numbered from 0; each has one request at a time."""

    count: int

    def send(self, worker: int, request: bytes) -> None:
        """Gives an idle worker a request."""
        ...

    def receive(self) -> tuple[int, bytes | Death]:
        """Waits for any worker: which one, and its answer."""
        ...

    def replace(self, worker: int) -> None:
        """Ends a worker, dead, busy or idle, and starts another one in its place."""
        ...

    def close(self) -> None:
        """Ends all workers, and nothing else."""
        ...


class LocalCarrier:
    """One worker in this process; it works while its answer is waited for.

    Args:
        setup: See `worker.setup_text`.
    """

    def __init__(self, setup: str) -> None:
        self.count = 1
        self._setup = setup
        self._worker = Worker(setup)
        self._requests: deque[bytes] = deque()

    def send(self, worker: int, request: bytes) -> None:
        """Keeps the request."""
        self._requests.append(request)

    def receive(self) -> tuple[int, bytes | Death]:
        """Answers it."""
        return 0, self._worker.answer(self._requests.popleft())

    def replace(self, worker: int) -> None:
        """Forgets the requests, and makes the worlds and the policy anew."""
        self.close()
        self._worker = Worker(self._setup)

    def close(self) -> None:
        """Closes the worlds."""
        self._requests.clear()
        self._worker.close()
