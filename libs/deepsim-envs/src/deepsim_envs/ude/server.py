# SPDX-License-Identifier: Apache-2.0
"""A server of an environment, for the clients of this package and those of UDE 0.1.5."""

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
_GRACE = 0.2  # for answers that are on their way when a server stops [s]


class UDEServer:
    """Serves an environment over gRPC, to one or several clients.

    One call at a time steps the environment, in its own thread; when the server stops, the world
    belongs to the thread that stops it. Use the server as a context, or call `start` and `stop`; it
    does not close the environment when it stops.

    A client of this package owns the agents for which it acts, until it leaves or is silent. UDE's
    own clients own nothing: of their actions for an agent the last one before the step counts.

    Args:
        environment: The environment to serve.
        host: The address to listen on, or ``"unix:PATH"`` for a socket of this machine, which is
            quicker. An address that other machines can reach needs `certificate`, `private_key` and
            `token`.
        port: The port; 0 for any that is free.
        token: A secret of at least 16 characters that every call must bring; on loopback it may be
            without TLS, and is asked for nevertheless.
        certificate: The certificate chain, PEM, or its file.
        private_key: Its private key, PEM, or its file.
        step_mode: The condition of a step.
        period: The period of `StepMode.PERIODIC` [s].
        step_timeout: The time that a call may wait for its step [s].
        lease: The time for which a silent client without a stream keeps its agents [s].
        max_clients: The number of streams that may be open at once, and of calls that may wait.
            When all places are taken, the oldest of the connection with most gives way.
        limits: The largest messages and payloads.
        allow_close: Whether a client may close the environment, which then stops the server.

    Raises:
        ServerStartError: The address is unsafe.
        PayloadError: A space of the environment cannot be sent.
        ValueError: The token is too short, or only one of certificate and key is given.

    Example:
        The task is that of the example of `Area`:

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
        """The agents whose actions the next step still needs."""
        return self._steps.missing()

    def start(self) -> UDEServer:
        """Begins to listen; afterwards `port` is the one that is used.

        Raises:
            ServerStartError: The address is taken or not one of this machine, or the server was
                stopped.
        """
        with self._changing:
            if self._stopped.is_set():
                raise ServerStartError("this server was stopped: make a new one")
            self._listen()
        return self

    def stop(self) -> None:
        """Refuses waiting calls, and ends; stopping twice does no harm."""
        with self._changing:
            if self._stopped.is_set():
                return
            self._steps.stop()
            self._service.end()
            if self._server is not None:
                self._server.stop(grace=_GRACE).wait()
            self._stopped.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until the server has stopped; False if that takes longer than `timeout` [s]."""
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
                *channel_options(self._limits),  # larger messages are not even received
                ("grpc.max_concurrent_streams", 16),
                ("grpc.max_metadata_size", 16 * 1024),
                # A client that vanishes is noticed, and its agents are free again.
                ("grpc.keepalive_time_ms", 10_000),
                ("grpc.keepalive_timeout_ms", 10_000),
                ("grpc.so_reuseport", 0),  # a port that is taken is an error
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
            raise ServerStartError(
                f"cannot listen on {self.address}: is another server there? Port 0 is any free one"
            )
        self.port = bound
        self._server = server
        self._service.begin()
        server.start()

    def _stop_soon(self) -> None:
        """Stops from within a call, which must not wait for its own end."""
        threading.Thread(target=self.stop, name="ude-stop", daemon=True).start()


def serve(environment: UDEEnvironment | Environment, **options: Any) -> UDEServer:
    """Returns a server that listens already; the options are those of `UDEServer`."""
    return UDEServer(environment, **options).start()
