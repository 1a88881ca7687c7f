# SPDX-License-Identifier: Apache-2.0
"""Handlers of UDE's calls; a bad request only affects its sender."""

from __future__ import annotations

import logging
import queue
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import grpc

from .access import OUR_VERSION, VERSION, CallHeaders, has_token, read_headers
from .codec import Limits, encode
from .codec.spaces import space_data
from .environment import UDEEnvironment
from .errors import PayloadError, RefusedError, ServerError
from .messages import (
    OK,
    SERVICE,
    STREAM,
    UNARY,
    Message,
    SideChannelMessage,
    from_bytes,
    to_bytes,
)
from .side_channel import AbstractSideChannel
from .steps import Client, Places, Rules, Steps

_LOG = logging.getLogger(__name__)
_EMPTY = Message()
_MOST_UNREAD = 256  # maximum number of messages that wait for one reader of a side channel


class Service:
    """Answers all calls, with the help of `Steps`; see `UDEServer`."""

    def __init__(
        self,
        environment: UDEEnvironment,
        steps: Steps,
        rules: Rules,
        on_close: Callable[[], None],
    ) -> None:
        self._environment, self._steps, self._rules = environment, steps, rules
        self._on_close = on_close
        self._places = Places(rules.max_clients)
        self._streams: dict[Any, queue.Queue[bytes | None]] = {}  # by context
        self._spaces = {
            "observation_space": _encoded(environment.observation_space, rules.limits),
            "action_space": _encoded(environment.action_space, rules.limits),
        }

    def handler(self) -> Any:
        """Returns a gRPC handler for all calls, which refuses callers without the token.

        gRPC passes messages as bytes, so that this class also answers malformed ones.
        """
        service, token = self, self._rules.token
        methods = {
            f"/{SERVICE}/{name}": grpc.unary_unary_rpc_method_handler(
                lambda request, context, name=name: service._unary(name, request, context)
            )
            for name in UNARY
        }
        methods[f"/{SERVICE}/{STREAM}"] = grpc.unary_stream_rpc_method_handler(self._stream)
        # A stream's handler is called at once, but a handler of single messages only for a message.
        turn_away = grpc.stream_stream_rpc_method_handler(_turn_away)

        class Handler(grpc.GenericRpcHandler):  # type: ignore[misc]  # without types
            def service(self, details: Any) -> Any:
                if token is not None and not has_token(details.invocation_metadata, token):
                    return turn_away
                return methods.get(details.method)

        return Handler()

    def begin(self) -> None:
        """Starts listening to the task's side channel."""
        self._environment.side_channel.register(self)

    def on_received(self, side_channel: AbstractSideChannel, key: str, value: Any) -> None:
        """Sends a value from the task to all clients; disconnects those that read too slowly."""
        self._send(to_bytes(Message(content=SideChannelMessage(key, value))))

    def end(self) -> None:
        """Ends all streams."""
        self._environment.side_channel.unregister(self)
        self._send(None)

    def _send(self, message: bytes | None) -> None:
        for context, unread in list(self._streams.items()):
            if not _put(unread, message):
                context.cancel()

    def _unary(self, name: str, request: bytes, context: Any) -> bytes:
        try:
            headers = read_headers(context.invocation_metadata())
            if headers.client is not None and name in self._spaces:  # Clients read these first.
                _tell_version(context)
            answer = self._answer(name, headers, request, context)
        except PayloadError as error:
            answer = Message(400, str(error))
        except (RefusedError, ServerError) as error:
            answer = Message(error.status, str(error))
        except Exception:
            _LOG.exception("%s failed", name)
            answer = Message(500, "the server failed: see its log")
        return to_bytes(answer)

    def _stream(self, request: bytes, context: Any) -> Iterator[bytes]:
        """Yields the task's messages; a client's new stream replaces its old one, which broke."""
        unread: queue.Queue[bytes | None] = queue.Queue(_MOST_UNREAD)
        try:
            headers = read_headers(context.invocation_metadata())
            from_bytes(request, self._rules.limits)
            client = self._client(headers, context)
            with self._places.taken(context.peer(), context.cancel):
                self._streams[context] = unread
                former, client.stream = client.stream, context
                if former is not None and headers.client is not None:
                    former.cancel()
                try:
                    if context.add_callback(lambda: _put(unread, None)):
                        _tell_version(context)  # From now on, the client misses no message.
                        while (message := unread.get()) is not None:
                            yield message
                finally:
                    del self._streams[context]
                    if client.stream is context:
                        client.stream = None
            answer = Message(503, "the stream is over")
        except PayloadError as error:
            answer = Message(400, str(error))
        except RefusedError as error:
            answer = Message(error.status, str(error))
        yield to_bytes(answer)

    def _client(self, headers: CallHeaders, context: Any) -> Client:
        return self._steps.client(headers.client, context.peer())

    def _answer(self, name: str, headers: CallHeaders, request: bytes, context: Any) -> Message:
        message = from_bytes(request, self._rules.limits)
        content = message.content
        if message.status != OK:
            raise RefusedError("a call must have status 200", 400)
        if name == "step":
            if not isinstance(content, bytes):
                raise RefusedError("step needs a payload", 400)
            client = self._client(headers, context)
            return Message(content=self._steps.step(client, content, headers.request, context))
        if name == "side_channel_send":
            if not isinstance(content, SideChannelMessage):
                raise RefusedError("side_channel_send needs a message of a side channel", 400)
            sent = content
            client = self._client(headers, context)
            self._steps.once(client, "sends", headers.request, context, lambda: self._deliver(sent))
            return _EMPTY
        if content is not None:
            raise RefusedError(f"{name} needs an empty message", 400)
        if name in self._spaces:
            return Message(content=self._spaces[name])
        client = self._client(headers, context)
        if name == "close":
            return self._close(client, headers, context)
        payload = self._steps.reset(client, headers.seed, headers.request, context)
        return Message(content=payload)

    def _deliver(self, sent: SideChannelMessage) -> bytes:
        channel = self._environment.side_channel
        try:
            channel.check(sent.key, sent.value, sent.store_local)
        except (TypeError, ValueError) as error:
            raise RefusedError(str(error), 400) from None
        try:
            channel.send(sent.key, sent.value, sent.store_local)
        except Exception:
            _LOG.exception("the task's side channel raised at key %r", sent.key)
            raise ServerError("the task's side channel raised: see the server's log", 500) from None
        if sent.store_local:  # As in UDE, all clients then keep the value.
            self.on_received(channel, sent.key, sent.value)
        return b""

    def _close(self, client: Client, headers: CallHeaders, context: Any) -> Message:
        self._steps.leave(client)
        if headers.leave:
            return _EMPTY
        if not self._rules.allow_close:
            raise RefusedError("clients may not close this environment; yours has left it", 403)
        try:
            self._steps.once(client, "closing", None, context, self._closed)
        finally:
            self._on_close()
        return _EMPTY

    def _closed(self) -> bytes:
        self._environment.close()
        return b""


def _put(unread: queue.Queue[bytes | None], message: bytes | None) -> bool:
    """Appends a message, or None to end the stream; returns False if too many are waiting."""
    try:
        unread.put_nowait(message)
    except queue.Full:
        return False
    return True


def _tell_version(context: Any) -> None:
    context.send_initial_metadata(((VERSION, OUR_VERSION),))


def _turn_away(_requests: Iterator[bytes], context: Any) -> None:
    context.abort(grpc.StatusCode.UNAUTHENTICATED, "this server asks for a valid token")


def _encoded(spaces: Mapping[str, Any], limits: Limits) -> bytes:
    return encode({name: space_data(space) for name, space in spaces.items()}, limits)
