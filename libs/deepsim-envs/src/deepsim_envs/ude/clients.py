# SPDX-License-Identifier: Apache-2.0
"""The clients of a server: which agents are whose, and what each was answered last."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from .broadcast import Subscription
from .errors import RefusedError

_MOST_CALLS = 4
_MOST_STREAMS = 2  # the second one takes over from the first
_MOST_WORK = 16


@dataclass(eq=False)
class Client:
    """One client.

    Attributes:
        key: Its name, or its connection if it has none.
        is_connection: Whether its end is that of its connection.
        calls: Calls of it that are being answered.
        streams: Streams that are open to it.
        listener: What the latest of them reads.
        work: What it has asked for and is not done yet, whether or not it still waits.
        has_left: Whether it is to be forgotten when that is done.
        last_seen: When it last called, s.
        told: The episode whose beginning it was told of.
    """

    key: str
    is_connection: bool
    calls: int = 0
    streams: int = 0
    listener: Subscription[Any] | None = None
    work: int = 0
    has_left: bool = False
    last_seen: float = 0.0
    told: int = 0
    _answers: dict[str, tuple[int, Future[bytes]]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def once(
        self, sequence: str, request: int | None, begin: Callable[[], Future[bytes]]
    ) -> Future[bytes]:
        """What `begin` returns; for a retry, what it returned the first time.

        Args:
            sequence: What it belongs to; those of different ones may overtake each other, as a
                client's threads do.
            request: The number of the request; None if it cannot be told from others.
            begin: Starts to answer it.

        Raises:
            RefusedError: A later request of the sequence was answered already.
        """
        if request is None:
            return begin()
        with self._lock:
            latest, answer = self._answers.get(sequence, (-1, None))
            if request == latest and answer is not None:
                return answer
            if request <= latest:
                raise RefusedError(f"request {request} is older than {latest}", 409)
            answer = begin()
            self._answers[sequence] = request, answer
            return answer


class Clients:
    """All clients that a server knows.

    An agent is the client's that acts for it first, until that leaves: by saying so, by closing a
    connection that was all it was known by, or by silence.

    Args:
        most: How many may be known at once.
        lease: For how long a silent client keeps its agents, s.
    """

    def __init__(self, most: int, lease: float) -> None:
        self._most = most
        self._lease = lease
        self._known: dict[str, Client] = {}
        self._owners: dict[str, Client] = {}
        self._lock = threading.Lock()

    @contextmanager
    def call(self, key: str, *, is_connection: bool) -> Iterator[Client]:
        """A client while it is being answered.

        Raises:
            RefusedError: There are too many clients, or calls of this one.
        """
        with self._lock:
            client = self._client(key, is_connection)
            if client.calls >= _MOST_CALLS:
                raise RefusedError("too many calls of one client at once", 429)
            client.calls += 1
            client.has_left = False
        try:
            yield client
        finally:
            with self._lock:
                client.calls -= 1
                client.last_seen = time.monotonic()

    @contextmanager
    def stream(
        self, key: str, reader: Subscription[Any], *, is_connection: bool
    ) -> Iterator[Client]:
        """A client while something is streamed to it.

        A client that has a name and lost its connection comes back by another one, maybe long
        before the loss is noticed here. So its new stream ends the old one; who only has a
        connection cannot have lost it.

        Args:
            key: See `Client`.
            reader: What it is to read.
            is_connection: See `Client`.

        Raises:
            RefusedError: There are too many clients, or streams of this one.
        """
        with self._lock:
            client = self._client(key, is_connection)
            if client.streams >= (1 if is_connection else _MOST_STREAMS):
                raise RefusedError("too many streams of one client at once", 429)
            client.streams += 1
            client.has_left = False
            if client.listener is not None:
                client.listener.end()
            client.listener = reader
        try:
            yield client
        finally:
            with self._lock:
                client.streams -= 1
                client.last_seen = time.monotonic()
                if client.listener is reader:
                    client.listener = None
                if client.is_connection:
                    self._forget(client)

    def begin(self, client: Client, work: Callable[[], Future[bytes]]) -> Future[bytes]:
        """What `work` returns, as work of the client's until it is done.

        A call that is given up leaves its work behind, so that the calls alone bound nothing.

        Raises:
            RefusedError: Too much of the client's work waits already.
        """
        with self._lock:
            if client.work >= _MOST_WORK:
                raise RefusedError(
                    f"{_MOST_WORK} calls of this client, most of them given up by it, wait to be "
                    "carried out",
                    429,
                )
            client.work += 1
        try:
            answer = work()
        except BaseException:
            self._finish(client)
            raise
        answer.add_done_callback(lambda _: self._finish(client))
        return answer

    def claim(self, client: Client, agents: Iterable[str]) -> None:
        """Makes the client the owner of agents, all or none.

        Raises:
            RefusedError: One is another client's.
        """
        with self._lock:
            for agent in agents:
                if self._is_others(agent, client):
                    raise RefusedError(f"agent {agent!r} is acted for by another client", 403)
            self._owners.update(dict.fromkeys(agents, client))

    def all_are_others(self, client: Client, agents: Iterable[str]) -> bool:
        """Whether other clients act for every one of at least one agent."""
        with self._lock:
            return bool(agents) and all(self._is_others(agent, client) for agent in agents)

    def leave(self, client: Client) -> None:
        """Forgets a client, so that others may act for its agents."""
        with self._lock:
            self._forget(client)

    def _finish(self, client: Client) -> None:
        with self._lock:
            client.work -= 1
            if client.has_left:
                self._forget(client)

    def _is_others(self, agent: str, client: Client) -> bool:
        owner = self._owners.get(agent)
        return owner is not None and owner is not client and self._is_alive(owner)

    def _is_alive(self, client: Client) -> bool:
        if self._known.get(client.key) is not client:
            return False
        if client.has_left:
            return False
        return self._is_busy(client) or time.monotonic() - client.last_seen < self._lease

    def _is_busy(self, client: Client) -> bool:
        return client.calls > 0 or client.streams > 0 or client.work > 0

    def _client(self, key: str, is_connection: bool) -> Client:
        client = self._known.get(key) or self._new(key, is_connection)
        client.last_seen = time.monotonic()
        return client

    def _new(self, key: str, is_connection: bool) -> Client:
        if len(self._known) >= self._most:
            owners = {owner.key for owner in self._owners.values() if self._is_alive(owner)}
            idle = [
                known
                for known in self._known.values()
                if not self._is_busy(known) and known.key not in owners
            ]
            if not idle:
                raise RefusedError(f"this server has {self._most} clients already", 429)
            self._forget(min(idle, key=lambda known: known.last_seen))
        client = self._known[key] = Client(key, is_connection)
        return client

    def _forget(self, client: Client) -> None:
        """Frees its agents; itself it stays known for as long as its work counts."""
        client.has_left = client.work > 0
        if not client.has_left and self._known.get(client.key) is client:
            del self._known[client.key]
        self._owners = {
            agent: owner for agent, owner in self._owners.items() if owner is not client
        }
