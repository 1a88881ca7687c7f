# SPDX-License-Identifier: Apache-2.0
"""An environment on a server, with the same interface as `UDEEnvironment`."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gymnasium.spaces import Space

from deepsim_envs.results import StepResult

from .codec import Limits, decode, encode
from .codec.spaces import SPACE_TAGS
from .connection import Connection, RemoteSideChannel
from .errors import PayloadError, RemoteEnvironmentError, ServerError, UDEError
from .server import DEFAULT_PORT
from .steps import ENVIRONMENT_ERROR

_LOG = logging.getLogger(__name__)


class RemoteEnvironment:
    """A client of an environment on a server: a `UDEServer`, or a server of the package ``ude``.

    Several clients may act in one environment, each for its own agents. A step waits until all
    agents have actions, and every client gets the results of all agents. The first client that acts
    for an agent owns it until the client closes.

    Args:
        host: The server's address, or ``"unix:PATH"`` for a socket; an address that is not loopback
            needs `root_certificates`.
        port: The server's port.
        token: The secret that the server asks for.
        root_certificates: The root certificates for TLS, as PEM, or the name of their file.
        timeout: The maximum duration of a call, including the wait for other clients [s].
        limits: The limits of messages and payloads.

    Attributes:
        observation_space: The observation space of each agent, by name.
        action_space: The action space of each agent, by name.
        side_channel: The trainer's end of the side channel; it calls observers in its own thread.

    Raises:
        ConnectionLostError: No UDE server answers.
        RefusedError: The server asks for a different token.
        ValueError: The address is not loopback, and `root_certificates` is missing.

    Example:
        `make` is the function from the `Area` example:

        >>> with UDEServer(make(), port=0) as server, RemoteEnvironment(port=server.port) as remote:
        ...     observation, info = remote.reset(seed=7)
        ...     print(observation)
        {'puck': array([0.], dtype=float32)}
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = DEFAULT_PORT,
        *,
        token: str | None = None,
        root_certificates: bytes | str | Path | None = None,
        timeout: float = 60.0,
        limits: Limits = Limits(),  # noqa: B008 (frozen)
    ) -> None:
        self._connection = Connection(
            host,
            port,
            token=token,
            root_certificates=root_certificates,
            timeout=timeout,
            limits=limits,
        )
        self._closed = False
        try:
            self._connection.connect()
            self.observation_space: Mapping[str, Space[Any]] = self._ask("observation_space")
            self.action_space: Mapping[str, Space[Any]] = self._ask("action_space")
        except BaseException:
            self._connection.close()
            raise
        self.side_channel = RemoteSideChannel(self._connection)

    @property
    def address(self) -> str:
        """The server's address, such as ``"127.0.0.1:3003"``."""
        return self._connection.address

    def reset(self, seed: int | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begins an episode, or joins one that another client has just begun.

        Args:
            seed: Seed of the episode, as in `Environment.reset`; servers of the package ``ude``
                take none.

        Raises:
            RemoteEnvironmentError: The environment raised an error.
            RefusedError: Other clients act for all agents of the current episode.
            UDEError: The server takes no seed, or the call failed.
        """
        if seed is not None and not self._connection.is_ours:
            raise UDEError(f"the server at {self.address} is UDE's own, which takes no seed")
        found = self._ask("reset", seed=seed)
        if isinstance(found, tuple) and len(found) == 2:
            return found
        return found, {}  # Before version 0.1.3 or so, UDE's reset returned only observations.

    def step(self, action_dict: Mapping[str, Any]) -> StepResult:
        """Sends actions and returns the results of the step, which waits for the other clients.

        Args:
            action_dict: Actions for agents that belong to this client or to none yet. With an empty
                dict, the client waits for the next step of the others.

        Raises:
            RemoteEnvironmentError: The environment raised an error.
            RefusedError: An action does not fit or is for another client's agent, or the
                environment was reset meanwhile.
            ServerError: Actions of other clients did not arrive within the server's `step_timeout`.
            CallTimeoutError, ConnectionLostError: There was no answer.
            PayloadError: An action cannot be sent.
        """
        found = self._ask("step", encode(action_dict, self._connection.limits))
        if not isinstance(found, tuple) or len(found) != len(StepResult._fields):
            raise ServerError(f"step at {self.address}: not the result of a step", 500)
        return StepResult(*found)

    def close(self) -> None:
        """Leaves the environment to the other clients; further calls have no effect."""
        if self._closed:
            return
        self._closed = True
        self.side_channel.close()
        try:
            if self._connection.is_ours:
                self._connection.call("close", leave=True, timeout=1.0)
        except UDEError as error:
            _LOG.debug("cannot leave the server: %s", error)
        finally:
            self._connection.close()

    def close_server(self) -> None:
        """Closes the environment for all clients, which also stops the server.

        Raises:
            RefusedError: The server does not allow it.
        """
        self._connection.call("close")
        self.close()

    def __enter__(self) -> RemoteEnvironment:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _ask(self, name: str, content: bytes | None = None, seed: int | None = None) -> Any:
        answer = self._connection.call(name, content, seed=seed).content
        if not isinstance(answer, bytes):
            raise ServerError(f"{name} at {self.address}: an answer without a payload", 500)
        try:
            found = decode(answer, self._connection.limits, _TAGS)
        except PayloadError as error:
            raise ServerError(f"{name} at {self.address}: {error}", 500) from error
        if isinstance(found, _Failure):
            raise RemoteEnvironmentError(f"{name} at {self.address}: {found.message}")
        return found


class _Failure:
    """An error of the environment, as the server reports it."""

    def __init__(self, data: Any) -> None:
        message = data.get("message") if isinstance(data, dict) else None
        if not isinstance(message, str):
            raise PayloadError("an error of the environment has a message")
        self.message = message


_TAGS = {**SPACE_TAGS, ENVIRONMENT_ERROR: _Failure}
