# SPDX-License-Identifier: Apache-2.0
"""Serves an environment to clients of this package and of the package ``ude`` 0.1.5."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc

from deepsim_envs.environment import Environment

from .access import (
    OUR_VERSION,
    VERSION,
    CallHeaders,
    channel_options,
    contents,
    has_token,
    read_headers,
    require_safe,
    target,
)
from .codec import Limits, encode
from .codec.spaces import space_data
from .environment import UDEEnvironment
from .errors import PayloadError, RefusedError, ServerError, ServerStartError
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
from .steps import Client, Places, Rules, StepMode, Steps

DEFAULT_PORT = 3003
_GRACE = 0.2  # time for pending answers when a server stops [s]
_LONGEST_PATH = 107  # of a socket on Linux, sockaddr_un.sun_path without its end [bytes]


class UDEServer:
    """Serves an environment over gRPC to one or more clients.

    The server steps the environment in the threads of its calls, one call at a time. After it has
    stopped, the world belongs to the thread that stopped it. Use the server in a ``with``
    statement, or call `start` and `stop`; stopping does not close the environment.

    A client of this package owns the agents for which it acts, until it leaves or its lease ends.
    Clients of the package ``ude`` own no agents: if several act for one agent, the last action
    before the step counts.

    Args:
        environment: The environment to serve.
        host: The address to listen on, or ``"unix:PATH"`` for a socket on this machine, which is
            faster. An address that other machines can reach needs `certificate`, `private_key` and
            `token`.
        port: The port; 0 for any free port.
        token: A secret of at least 16 characters that every call must contain; on loopback, it
            works without TLS.
        certificate: The certificate chain as PEM, or the name of its file.
        private_key: The private key of the certificate as PEM, or the name of its file.
        step_mode: When a step happens.
        period: The period of `StepMode.PERIODIC` [s].
        step_timeout: The maximum time that a call waits for its step [s].
        lease: The time for which a client without calls and without a stream keeps its agents [s].
        max_clients: The maximum number of open streams, and of waiting calls. If it is reached, the
            connection with the most of them loses its oldest one to a new one.
        limits: The limits of messages and payloads.
        allow_close: Whether a client may close the environment, which also stops the server.

    Raises:
        ServerStartError: The address is unsafe.
        PayloadError: A space of the environment cannot be sent.
        ValueError: The token is too short, only one of certificate and key is given, or a number is
            not positive.

    Example:
        `make` is the function from the `Area` example:

        >>> with UDEServer(make(), port=0) as server, RemoteEnvironment(port=server.port) as remote:
        ...     observation, info = remote.reset(seed=7)
        ...     print(remote.step({"puck": [1.0]}).reward)
        {'puck': 0.5}
    """

    def __init__(
        self,
        environment: UDEEnvironment | Environment,
        *,
        host: str = "127.0.0.1",
        port: int = DEFAULT_PORT,
        token: str | None = None,
        certificate: bytes | str | Path | None = None,
        private_key: bytes | str | Path | None = None,
        step_mode: StepMode | str = StepMode.WAIT_FOREVER,
        period: float = 1.0,
        step_timeout: float = 50.0,
        lease: float = 30.0,
        max_clients: int = 32,
        limits: Limits = Limits(),  # noqa: B008 (frozen)
        allow_close: bool = False,
    ) -> None:
        if (certificate is None) != (private_key is None):
            raise ValueError("TLS needs both certificate and private_key, or neither")
        if period <= 0.0 or step_timeout <= 0.0 or max_clients < 1:
            raise ValueError("period, step_timeout and max_clients must be > 0")
        require_safe(host, token, tls=certificate is not None)
        if isinstance(environment, Environment):
            environment = UDEEnvironment(environment)
        self.environment = environment
        self.host = host
        self.port = port
        self._credentials: Any = None
        if certificate is not None and private_key is not None:
            self._credentials = grpc.ssl_server_credentials(
                [(contents(private_key), contents(certificate))]
            )
        mode = StepMode(step_mode)
        rules = Rules(token, mode, period, step_timeout, lease, max_clients, limits, allow_close)
        self._steps = Steps(environment, rules)
        self._service = Service(environment, self._steps, rules, self._stop_soon)
        self._workers = 3 * max_clients + 8
        self._limits = limits
        self._server: Any = None
        self._changing = threading.Lock()
        self._stopped = threading.Event()

    @property
    def address(self) -> str:
        """The server's address, such as ``"127.0.0.1:3003"``."""
        return target(self.host, self.port)

    @property
    def missing_agents(self) -> list[str]:
        """The agents for which the next step still needs actions."""
        return self._steps.missing()

    def start(self) -> UDEServer:
        """Begins to listen; afterwards, `port` is the port in use.

        Raises:
            ServerStartError: The address is taken or does not belong to this machine, or the server
                was stopped.
        """
        with self._changing:
            if self._stopped.is_set():
                raise ServerStartError("this server was stopped: make a new one")
            self._listen()
        return self

    def stop(self) -> None:
        """Refuses waiting calls of clients, and stops listening; may be called more than once."""
        with self._changing:
            if self._stopped.is_set():
                return
            self._steps.stop()
            self._service.end()
            if self._server is not None:
                self._server.stop(grace=_GRACE).wait()
            self._stopped.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until the server has stopped; returns False after `timeout` [s]."""
        return self._stopped.wait(timeout)

    def __enter__(self) -> UDEServer:
        return self.start() if self._server is None or self._stopped.is_set() else self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def _listen(self) -> None:
        server = grpc.server(
            ThreadPoolExecutor(self._workers, "ude-call"),
            handlers=(self._service.handler(),),
            maximum_concurrent_rpcs=self._workers,
            options=(
                *channel_options(self._limits),  # gRPC does not even receive larger messages.
                ("grpc.max_concurrent_streams", 16),
                ("grpc.max_metadata_size", 16 * 1024),
                # The server notices when a client vanishes, and frees its agents.
                ("grpc.keepalive_time_ms", 10_000),
                ("grpc.keepalive_timeout_ms", 10_000),
                ("grpc.so_reuseport", 0),  # Listening on a taken port is an error.
            ),
        )
        try:
            if self._credentials is None:
                bound = server.add_insecure_port(self.address)
            else:
                bound = server.add_secure_port(self.address, self._credentials)
        except RuntimeError:
            bound = 0
        if bound == 0:
            kind, _, path = self.address.partition(":")
            why = "is another server there? Port 0 is any free one"
            if kind == "unix" and len(path.encode()) > _LONGEST_PATH:
                why = f"the path of a socket has at most {_LONGEST_PATH} bytes"
            raise ServerStartError(f"cannot listen on {self.address}: {why}")
        self.port = bound
        self._server = server
        self._service.begin()
        server.start()

    def _stop_soon(self) -> None:
        """Stops the server from a call, in another thread, as a call cannot wait for itself."""
        threading.Thread(target=self.stop, name="ude-stop", daemon=True).start()


def serve(environment: UDEEnvironment | Environment, **options: Any) -> UDEServer:
    """Starts a server and returns it; the options are those of `UDEServer`."""
    return UDEServer(environment, **options).start()


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
