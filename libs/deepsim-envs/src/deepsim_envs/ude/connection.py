# SPDX-License-Identifier: Apache-2.0
"""A client's connection: calls that take effect once even if retried, and a side channel."""

from __future__ import annotations

import itertools
import logging
import secrets
import threading
import time
from pathlib import Path
from typing import Any

import grpc

from .access import (
    CLIENT,
    LEAVE,
    OUR_VERSION,
    REQUEST,
    SEED,
    TOKEN,
    VERSION,
    channel_options,
    contents,
    is_loopback,
    target,
)
from .codec import Limits
from .errors import (
    CallTimeoutError,
    ConnectionLostError,
    PayloadError,
    RefusedError,
    ServerError,
    UDEError,
)
from .messages import (
    OK,
    SERVICE,
    STREAM,
    UNARY,
    Message,
    SideChannelMessage,
    SideChannelValue,
    from_bytes,
    to_bytes,
)
from .side_channel import AbstractSideChannel

_LOG = logging.getLogger(__name__)
_CROWDED = "Concurrent RPC limit exceeded!"
"""gRPC's own answer if a server has too many calls; the call had no effect."""
_READ_ONLY = {"observation_space", "action_space"}
_STATUSES = {
    grpc.StatusCode.UNAUTHENTICATED: 401,
    grpc.StatusCode.PERMISSION_DENIED: 403,
    grpc.StatusCode.UNIMPLEMENTED: 404,
    grpc.StatusCode.RESOURCE_EXHAUSTED: 429,
}


class Connection:
    """Calls a server; see `RemoteEnvironment` for the arguments.

    Attributes:
        is_ours: Whether the server is one of this package, which recognises retries; False until
            the spaces have been read.
    """

    def __init__(
        self,
        host: str,
        port: int,
        *,
        token: str | None,
        root_certificates: bytes | str | Path | None,
        timeout: float,
        limits: Limits,
    ) -> None:
        if root_certificates is None and not is_loopback(host):
            raise ValueError(
                f"{host} is another machine, so the connection needs TLS: give root_certificates, "
                "or forward a local port to it by ssh"
            )
        self.address = target(host, port)
        self.is_ours = False
        self.timeout = timeout
        self.limits = limits
        self._numbers = itertools.count(1)
        self._metadata = [(VERSION, OUR_VERSION), (CLIENT, secrets.token_urlsafe(24))]
        if token is not None:
            self._metadata.append((TOKEN, token))
        options = (
            *channel_options(limits),
            ("grpc.use_local_subchannel_pool", 1),  # Clients do not share a connection.
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.max_reconnect_backoff_ms", 2000),
            ("grpc.enable_http_proxy", 0),
        )
        if root_certificates is None:
            self._channel = grpc.insecure_channel(self.address, options=options)
        else:
            credentials = grpc.ssl_channel_credentials(contents(root_certificates))
            self._channel = grpc.secure_channel(self.address, credentials, options=options)
        self._calls = {name: self._channel.unary_unary(f"/{SERVICE}/{name}") for name in UNARY}
        self._stream = self._channel.unary_stream(f"/{SERVICE}/{STREAM}")
        self._closed = threading.Event()

    def connect(self) -> None:
        """Waits for the server; raises a ConnectionLostError after the timeout of a call."""
        try:
            grpc.channel_ready_future(self._channel).result(self.timeout)
        except grpc.FutureTimeoutError:
            raise ConnectionLostError(
                f"no server at {self.address} within {self.timeout:g} s: is it running, and do "
                "both sides use TLS, or neither?"
            ) from None

    def call(
        self,
        name: str,
        content: Any = None,
        *,
        seed: int | None = None,
        leave: bool = False,
        timeout: float | None = None,
    ) -> Message:
        """Calls the server and returns its answer, which has status 200.

        Until its timeout, a call is retried if the server had too many calls. It is also retried
        if the connection broke, provided that the server recognises retries or the call only reads.

        Raises:
            RefusedError, ServerError: The answer has a different status.
            ConnectionLostError, CallTimeoutError: There was no answer.
        """
        metadata = [*self._metadata, (REQUEST, str(next(self._numbers)))]
        if seed is not None:
            metadata.append((SEED, str(seed)))
        if leave:
            metadata.append((LEAVE, "1"))
        request = to_bytes(Message(content=content))
        timeout = self.timeout if timeout is None else timeout
        deadline = time.monotonic() + timeout
        pause = 0.02
        while not self._closed.is_set():
            left = max(0.001, deadline - time.monotonic())
            try:
                data, call = self._calls[name].with_call(request, timeout=left, metadata=metadata)
            except grpc.RpcError as error:
                lost = error.code() == grpc.StatusCode.UNAVAILABLE
                again = lost and (self.is_ours or name in _READ_ONLY)
                if not (again or error.details() == _CROWDED) or left <= pause:
                    raise self._explained(name, error, timeout) from None
                self._closed.wait(pause)  # Closing the connection ends the pause.
                pause = min(2 * pause, 0.5)
                continue
            if name in _READ_ONLY:
                self.is_ours = dict(call.initial_metadata()).get(VERSION) == OUR_VERSION
            return self._checked(name, data)
        raise ConnectionLostError(f"{name}: the connection to {self.address} was closed here")

    def stream(self) -> Any:
        """Returns a call that yields the side channel's messages as bytes; its `cancel` ends it."""
        return self._stream(to_bytes(Message()), metadata=self._metadata, wait_for_ready=True)

    def close(self) -> None:
        """Closes the connection."""
        self._closed.set()
        self._channel.close()

    def _explained(self, name: str, error: Any, timeout: float) -> UDEError:
        where, code, details = f"{name} at {self.address}", error.code(), error.details()
        if code == grpc.StatusCode.DEADLINE_EXCEEDED:
            return CallTimeoutError(f"{where}: no answer within {timeout:g} s")
        if code == grpc.StatusCode.UNAVAILABLE:
            return ConnectionLostError(f"{where}: the connection broke: {details}")
        if code == grpc.StatusCode.CANCELLED:
            return ConnectionLostError(f"{where}: the connection was closed here")
        if code in _STATUSES:
            return RefusedError(f"{where}: {details}", _STATUSES[code])
        return ServerError(f"{where}: {details or code.name}", 500)

    def _checked(self, name: str, data: bytes) -> Message:
        try:
            message = from_bytes(data, self.limits)
        except PayloadError as error:
            raise ServerError(f"{name} at {self.address}: {error}", 500) from None
        if message.status != OK:
            kind = RefusedError if message.status < 500 else ServerError
            raise kind(f"{name} at {self.address}: {message.text}", message.status)
        return message


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
