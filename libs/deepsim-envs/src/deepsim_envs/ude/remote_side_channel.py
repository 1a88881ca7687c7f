# SPDX-License-Identifier: Apache-2.0
"""The trainer's end of a side channel; the other end is on a server."""

from __future__ import annotations

import logging
import threading

import grpc

from .connection import Connection
from .errors import PayloadError
from .messages import OK, SideChannelMessage, SideChannelValue, from_bytes
from .side_channel import AbstractSideChannel

_LOG = logging.getLogger(__name__)
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0  # pauses before another try [s]


class RemoteSideChannel(AbstractSideChannel):
    """An end of a side channel that listens in its own thread, and reconnects when necessary.

    Messages that the task sends while this end is not connected are lost.
    """

    def __init__(self, connection: Connection) -> None:
        super().__init__()
        self._connection = connection
        self._closed = threading.Event()
        self._sending = threading.Lock()
        self._listening = threading.Event()
        self._call = connection.stream()
        self._reader = threading.Thread(target=self._read, name="ude-side-channel", daemon=True)
        self._reader.start()
        # A server of the package `ude` sends nothing before its first message.
        if connection.is_ours and not self._listening.wait(connection.timeout):
            _LOG.warning("side channel of %s: no answer yet", connection.address)

    def close(self) -> None:
        """Stops listening."""
        self._closed.set()
        self._call.cancel()
        if threading.current_thread() is not self._reader:
            self._reader.join()

    def _send(self, key: str, value: SideChannelValue, store_local: bool) -> None:
        with self._sending:  # Messages must arrive in the order in which they were sent.
            self._connection.call("side_channel_send", SideChannelMessage(key, value, store_local))

    def _read(self) -> None:
        pause, logged = _FIRST_PAUSE, ""
        while True:
            has_heard, end = self._listened()
            pause = _FIRST_PAUSE if has_heard else pause
            if end != logged and not self._closed.is_set():
                logged = end
                _LOG.warning("side channel of %s: %s", self._connection.address, end)
            if self._closed.wait(pause):
                return
            pause = min(2.0 * pause, _LONGEST_PAUSE)
            self._call = self._connection.stream()
            if self._closed.is_set():
                self._call.cancel()

    def _listened(self) -> tuple[bool, str]:
        """Listens until the stream ends; returns whether a message came, and why it ended."""
        has_heard = False
        try:
            if self._call.initial_metadata():  # An aborted call has none.
                self._listening.set()
            for data in self._call:
                message = from_bytes(data, self._connection.limits)
                if message.status != OK:
                    return has_heard, message.text
                has_heard = True
                if isinstance(message.content, SideChannelMessage):
                    self._received(message.content)
        except PayloadError as error:
            return has_heard, str(error)
        except grpc.RpcError as error:
            return has_heard, str(error.details() or error.code())
        return has_heard, "the stream ended"

    def _received(self, content: SideChannelMessage) -> None:
        try:
            self.notify(content.key, content.value)
        except Exception:
            _LOG.exception("an observer of %s raised", content.key)
