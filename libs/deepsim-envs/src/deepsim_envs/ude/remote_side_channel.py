# SPDX-License-Identifier: Apache-2.0
"""The trainer's end of a side channel whose other end is at a server."""

from __future__ import annotations

import logging
import threading

from .connection import Connection
from .errors import PayloadError, UDEError
from .grpc_module import grpc
from .messages import OK, STREAM, Message, SideChannelMessage, SideChannelValue
from .side_channel import AbstractSideChannel

_LOG = logging.getLogger(__name__)
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0  # before another try [s]

# What may be over at the next try; the others say that every try will end like this one.
_PASSING = {
    grpc.StatusCode.ABORTED,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.INTERNAL,  # a proxy that resets streams says so
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.UNAVAILABLE,
}


class RemoteSideChannel(AbstractSideChannel):
    """Listens in a thread of its own; again, if the connection broke or the server was busy.

    What the task sends while nobody listens is lost.

    Args:
        connection: To the server.
    """

    def __init__(self, connection: Connection) -> None:
        super().__init__()
        self._connection = connection
        self._closed = threading.Event()
        self._sending = threading.Lock()
        self._listening = threading.Event()
        self._failure: UDEError | None = None
        self._call = connection.stream()
        self._reader = threading.Thread(target=self._read, name="ude-side-channel", daemon=True)
        self._reader.start()
        # An old server's stream says nothing before its first message.
        if connection.is_ours and not self._listening.wait(connection.timeout):
            _LOG.warning("side channel of %s: no answer yet", connection.address)

    def raise_failure(self) -> None:
        """Tells once that nothing will come through this channel any more.

        Raises:
            RefusedError, ServerError: The server does not let us listen.
        """
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def close(self) -> None:
        """Stops to listen."""
        self._closed.set()
        self._call.cancel()
        if threading.current_thread() is not self._reader:
            self._reader.join()

    def _send(self, key: str, value: SideChannelValue, store_local: bool) -> None:
        self.raise_failure()
        with self._sending:  # what a thread sends later must not come first
            self._connection.call("side_channel_send", SideChannelMessage(key, value, store_local))

    def _read(self) -> None:
        pause = _FIRST_PAUSE
        while True:
            has_heard, self._failure = self._listened()
            if self._failure is not None:
                _LOG.warning("nothing will be heard any more: %s", self._failure)
                self._listening.set()  # who waits for that need not wait longer
                return
            pause = _FIRST_PAUSE if has_heard else pause
            if self._closed.wait(pause):
                return
            pause = min(2.0 * pause, _LONGEST_PAUSE)
            self._call = self._connection.stream()
            if self._closed.is_set():
                self._call.cancel()

    def _listened(self) -> tuple[bool, UDEError | None]:
        """Listens until the stream ends: whether anything came, and why to try no more."""
        has_heard = False
        try:
            if self._call.initial_metadata():  # an abort has none
                self._listening.set()
            for data in self._call:
                message = self._connection.read(data)
                if message.status != OK:
                    return has_heard, self._ended(message)
                has_heard = True
                self._received(message.content)
        except PayloadError as error:
            _LOG.warning("side channel of %s: %s", self._connection.address, error)
        except grpc.RpcError as error:
            return has_heard, self._broken(error)
        return has_heard, None

    def _ended(self, message: Message) -> UDEError | None:
        """What the server's last message means: None if we may listen again."""
        if message.status == 429:
            _LOG.warning("side channel of %s: %s", self._connection.address, message.text)
        if self._closed.is_set() or message.status == 429 or message.status >= 500:
            return None
        return self._connection.refusal(STREAM, message)

    def _broken(self, error: grpc.RpcError) -> UDEError | None:
        """What the end of the call means: None if we may listen again."""
        if self._closed.is_set() or error.code() in _PASSING:
            return None
        return self._connection.explained(STREAM, error)

    def _received(self, content: bytes | SideChannelMessage | None) -> None:
        if isinstance(content, SideChannelMessage):
            try:
                self.notify(content.key, content.value)
            except Exception:
                _LOG.exception("an observer of %s raised", content.key)
