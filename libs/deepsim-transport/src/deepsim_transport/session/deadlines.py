# SPDX-License-Identifier: Apache-2.0
"""Deadlines for calls of zenoh, which may wait without end if a master hangs."""

from __future__ import annotations

import atexit
import time
from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, TypeVar
from weakref import WeakSet

import zenoh
from zenoh.handlers import Callback

from deepsim_transport.errors import NoAnswerError

T = TypeVar("T")

DEADLINE = 10.0
"""Longest time for zenoh to open, close, declare or undeclare [s]; usually it takes 1 ms."""
_GRACE = 2.0
"""Time for the end of a query to arrive after zenoh's own limit [s]."""


def within(deadline: float, task: str, call: Callable[[], T]) -> T:
    """Returns the result of a call, made in a thread that is abandoned at the deadline.

    Args:
        deadline: Longest time to wait [s].
        task: What the call does, for the error, such as ``"open a session"``.
        call: The call.

    Raises:
        NoAnswerError: The call has not returned in time.
    """
    results: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()

    def run() -> None:
        try:
            results.put((call(), None))
        except BaseException as error:  # raised again in the waiting thread
            results.put((None, error))

    Thread(target=run, name=task, daemon=True).start()
    try:
        result, error = results.get(timeout=deadline)
    except Empty:
        raise NoAnswerError(f"zenoh did not {task} within {deadline:g} s") from None
    if error is not None:
        raise error
    return result  # type: ignore[no-any-return]


class SessionOwner:
    """Owns a session of zenoh, which is closed at the end of the process at the latest.

    Otherwise zenoh's threads may call this process while it ends, and abort it.

    Attributes:
        session: The session.
    """

    session: Any

    def _open(self, config: zenoh.Config, task: str) -> None:
        """Opens the session; raises NoAnswerError after the deadline, or a ZError of zenoh.

        Args:
            config: The settings.
            task: The purpose, for the error, such as ``"listen at tcp/127.0.0.1:1"``.
        """
        self.session = within(DEADLINE, task, lambda: zenoh.open(config))
        _OWNERS.add(self)

    def _close(self, task: str) -> None:
        """Closes the session; raises NoAnswerError after the deadline."""
        _OWNERS.discard(self)
        within(DEADLINE, task, self.session.close)


_OWNERS: WeakSet[SessionOwner] = WeakSet()  # of open sessions


@atexit.register
def _close_all() -> None:
    for owner in [*_OWNERS]:
        owner.session.close()


def replies(get: Callable[..., object], key: str, timeout: float, **options: Any) -> Iterator[Any]:
    """Yields the replies to a query, until the query ends.

    Args:
        get: The method of zenoh that sends the query, such as ``session.get``.
        key: The key expression of the query.
        timeout: Longest time to wait for all replies [s].
        options: Further arguments of `get`.

    Raises:
        NoAnswerError: zenoh has not ended the query although its time was over.
    """
    received: SimpleQueue[Any] = SimpleQueue()
    # A channel of zenoh's, its default, would wait for the end of the query without a limit.
    handler = Callback(received.put, lambda: received.put(None), indirect=False)
    end = time.monotonic() + timeout + _GRACE
    get(key, handler, timeout=timeout, **options)
    while True:
        try:
            reply = received.get(timeout=max(0.0, end - time.monotonic()))
        except Empty:
            raise NoAnswerError(
                f"zenoh did not end the query of {key} within {timeout + _GRACE:g} s"
            ) from None
        if reply is None:
            return
        yield reply
