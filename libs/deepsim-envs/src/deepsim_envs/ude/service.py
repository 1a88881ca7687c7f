# SPDX-License-Identifier: Apache-2.0
"""UDE's calls as a server answers them; whatever comes, only its sender hears of it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any

from .broadcast import Broadcast
from .clients import Client, Clients
from .codec import Limits, decode, encode
from .codec.spaces import space_data
from .environment import UDEEnvironment
from .errors import PayloadError, RefusedError, ServerError
from .grpc_module import grpc
from .guard import guarded
from .headers import OUR_VERSION, VERSION, CallHeaders, read_headers
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
from .rounds import Rounds
from .side_channel import AbstractSideChannel

_LOG = logging.getLogger(__name__)
_DONE = b""
_EMPTY = Message()


class Service:
    """Answers calls; see `UDEServer` for the arguments.

    Args:
        on_close: Called after a close was answered.
    """

    def __init__(
        self,
        environment: UDEEnvironment,
        rounds: Rounds,
        clients: Clients,
        *,
        token: str | None,
        step_timeout: float,
        limits: Limits,
        allow_close: bool,
        on_close: Callable[[], None],
    ) -> None:
        self._environment = environment
        self._rounds = rounds
        self._clients = clients
        self._token = token
        self._step_timeout = step_timeout
        self._limits = limits
        self._allow_close = allow_close
        self._on_close = on_close
        self._broadcast = Broadcast[Message]()
        self._spaces = {
            "observation_space": _encoded(environment.observation_space, limits),
            "action_space": _encoded(environment.action_space, limits),
        }

    def handler(self) -> Any:
        """The calls, for a gRPC server. Messages stay bytes: we say what is wrong with them."""
        methods = {
            name: grpc.unary_unary_rpc_method_handler(
                lambda request, context, name=name: self._unary(name, request, context)
            )
            for name in UNARY
        }
        methods[STREAM] = grpc.unary_stream_rpc_method_handler(self._stream)
        calls = grpc.method_handlers_generic_handler(SERVICE, methods)
        return calls if self._token is None else guarded(calls, self._token)

    def begin(self) -> None:
        """Listens to the task's side channel."""
        self._environment.side_channel.register(self)

    def on_received(self, side_channel: AbstractSideChannel, key: str, value: Any) -> None:
        """Sends what the task sends to all clients."""
        self._broadcast.send(Message(content=SideChannelMessage(key, value)))

    def end(self) -> None:
        """Lets all streams end."""
        self._environment.side_channel.unregister(self)
        self._broadcast.end()

    # Calls

    def _unary(self, name: str, request: bytes, context: Any) -> bytes:
        self._tell_version(context)
        try:
            headers = read_headers(context.invocation_metadata())
            with self._clients.call(**_who(headers, context)) as client:
                answer = self._answer(name, client, headers, request, context)
        except PayloadError as error:
            answer = Message(400, str(error))
        except (RefusedError, ServerError) as error:
            answer = Message(error.status, str(error))
        except Exception:
            _LOG.exception("%s failed", name)
            answer = Message(500, "the server failed: see its log")
        return to_bytes(answer)

    def _stream(self, request: bytes, context: Any) -> Iterator[bytes]:
        reader = self._broadcast.subscribe()
        try:
            headers = read_headers(context.invocation_metadata())
            with self._clients.stream(reader=reader, **_who(headers, context)) as client:
                # From now on, the client knows, it misses nothing, and no older stream takes over.
                self._tell_version(context)
                from_bytes(request, self._limits)
                if context.add_callback(reader.end):
                    for message in reader:
                        yield to_bytes(message)
                if reader.is_late:
                    answer = Message(429, "too slow a reader")
                elif client.listener is not reader:
                    answer = Message(409, "the same client listens anew, by another stream")
                else:
                    answer = Message(503, "the stream is over")
        except PayloadError as error:
            answer = Message(400, str(error))
        except RefusedError as error:
            answer = Message(error.status, str(error))
        finally:
            self._broadcast.unsubscribe(reader)
        yield to_bytes(answer)

    @staticmethod
    def _tell_version(context: Any) -> None:
        context.send_initial_metadata(((VERSION, OUR_VERSION),))

    def _answer(
        self, name: str, client: Client, headers: CallHeaders, request: bytes, context: Any
    ) -> Message:
        message = from_bytes(request, self._limits)
        if message.status != OK:
            raise RefusedError("a call must have status 200", 400)
        if name == "side_channel_send":
            if not isinstance(message.content, SideChannelMessage):
                raise RefusedError("side_channel_send needs a message of a side channel", 400)
            sent = message.content
            answer = client.once("side channel", headers.request, lambda: self._sent(client, sent))
            self._wait(answer, name, context)
            return _EMPTY
        if name == "step":
            if not isinstance(message.content, bytes):
                raise RefusedError("step needs a payload", 400)
            payload = message.content
            answer = client.once(
                "episode",
                headers.request,
                lambda: self._rounds.step(client, decode(payload, self._limits)),
            )
            return Message(content=self._wait(answer, name, context))
        if message.content is not None:
            raise RefusedError(f"{name} needs an empty message", 400)
        if name == "close":
            return self._close(client, headers, context)
        if name == "reset":
            answer = client.once(
                "episode",
                headers.request,
                lambda: self._clients.begin(
                    client, lambda: self._rounds.reset(client, headers.seed)
                ),
            )
            return Message(content=self._wait(answer, name, context))
        return Message(content=self._spaces[name])

    def _sent(self, client: Client, sent: SideChannelMessage) -> Future[bytes]:
        return self._clients.begin(client, lambda: self._rounds.run(lambda: self._deliver(sent)))

    def _deliver(self, sent: SideChannelMessage) -> bytes:
        value: SideChannelValue = sent.value
        channel = self._environment.side_channel
        try:
            channel.check(sent.key, value, sent.store_local)
        except (TypeError, ValueError) as error:
            raise RefusedError(str(error), 400) from None
        try:
            channel.send(sent.key, value, sent.store_local)
        except Exception:
            _LOG.exception("the task's side channel raised at key %r", sent.key)
            raise ServerError("the task's side channel raised: see the server's log", 500) from None
        if sent.store_local:  # as UDE: then all clients have it
            self._broadcast.send(Message(content=SideChannelMessage(sent.key, value)))
        return _DONE

    def _close(self, client: Client, headers: CallHeaders, context: Any) -> Message:
        if headers.leave or not self._allow_close:
            self._clients.leave(client)
        if headers.leave:
            return _EMPTY
        if not self._allow_close:
            raise RefusedError("clients may not close this environment; yours has left it", 403)
        try:
            closed = self._clients.begin(client, lambda: self._rounds.run(self._closed))
            self._wait(closed, "close", context)
        finally:  # when the answer is on its way, or at once if nobody waits for it any more
            if not context.add_callback(self._on_close):
                self._on_close()
        return _EMPTY

    def _closed(self) -> bytes:
        self._environment.close()
        return _DONE

    def _wait(self, answer: Future[bytes], name: str, context: Any) -> bytes:
        """The answer, unless it takes too long or nobody wants it any more."""
        gone: Future[Any] = Future()
        if not context.add_callback(lambda: gone.set_result(None)):
            gone.set_result(None)
        # Unlike a callback of the answer's, this leaves nothing there for a caller who is gone.
        done, _ = wait([answer, gone], self._step_timeout, FIRST_COMPLETED)
        if not done:
            missing = self._rounds.missing() if name == "step" else []
            reason = f": no actions of {', '.join(missing)}" if missing else ""
            raise ServerError(f"no {name} within {self._step_timeout:g} s{reason}", 504)
        if not answer.done():
            raise ServerError("the caller is gone", 504)
        return answer.result()


def _who(headers: CallHeaders, context: Any) -> Any:
    """Whose call it is: a client is known by its name, or else by its connection."""
    named = headers.client is not None
    key = f"name {headers.client}" if named else f"connection {context.peer()}"
    return {"key": key, "is_connection": not named}


def _encoded(spaces: Mapping[str, Any], limits: Limits) -> bytes:
    return encode({name: space_data(space) for name, space in spaces.items()}, limits)
