# SPDX-License-Identifier: Apache-2.0
"""Serves an environment to clients of this package and of the package ``ude`` 0.1.5."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc

from deepsim_envs.environment import Environment

from .access import channel_options, contents, require_safe, target
from .codec import Limits
from .environment import UDEEnvironment
from .errors import ServerStartError
from .service import Service
from .steps import Rules, StepMode, Steps

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
