# SPDX-License-Identifier: Apache-2.0
"""The master, which connects processes and carries their topics, and zenoh's settings for it."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any
from urllib.parse import urlsplit

import zenoh

from deepsim_sync.access import LOOPBACK, is_loopback
from deepsim_transport.errors import TransportError

from .access import Access
from .deadlines import SessionOwner

PORT = 11345
"""The port of Gazebo's master."""
VARIABLE = "GAZEBO_MASTER_URI"
"""The environment variable with the master's address, such as ``http://localhost:11345``."""
LEASE = 2000
"""A peer that does not respond is dropped after this time [ms]."""
LARGEST = 64 << 20
"""Size of the largest accepted message [bytes]."""
CONNECT = 2000
"""Longest time to try to connect [ms]."""


def get_master_uri() -> tuple[str, int]:
    """Returns the host and port of the master from the variable ``GAZEBO_MASTER_URI``.

    By default, they are 127.0.0.1 and 11345.

    Raises:
        TransportError: The variable is not an address with a host.
    """
    given = os.environ.get(VARIABLE) or f"http://{LOOPBACK}:{PORT}"
    try:
        parts = urlsplit(given if "//" in given else f"//{given}")
        host, port = parts.hostname, parts.port or PORT
    except ValueError as error:
        raise TransportError(f"{VARIABLE} is {given!r}: {error}") from error
    if not host:
        raise TransportError(f"{VARIABLE} must be like http://localhost:{PORT}, got {given!r}")
    return (LOOPBACK if host == "localhost" else host), port


def endpoint(host: str, port: int, *, tls: bool = False) -> str:
    """Returns an address in the notation of zenoh."""
    return f"{'tls' if tls else 'tcp'}/{f'[{host}]' if ':' in host else host}:{port}"


def settings(
    mode: str,
    listen: Sequence[str] = (),
    connect: Sequence[str] = (),
    access: Mapping[str, Any] | None = None,
) -> zenoh.Config:
    """Returns a configuration for a session of zenoh.

    Args:
        mode: ``"router"`` or ``"client"``.
        listen: Endpoints to listen on, such as ``tcp/127.0.0.1:11345``.
        connect: Endpoints to connect to.
        access: Settings for TLS, users and rights; see `Access.settings`.
    """
    config = zenoh.Config()
    for key, value in {
        "mode": mode,
        "scouting/multicast/enabled": False,
        "scouting/gossip/enabled": False,
        "listen/endpoints": [*listen],
        "connect/endpoints": [*connect],
        "connect/timeout_ms": CONNECT,
        "transport/link/tx/lease": LEASE,
        "transport/link/rx/max_message_size": LARGEST,
        **(access or {}),
    }.items():
        config.insert_json5(key, json.dumps(value))
    return config


class Master(SessionOwner):
    """Carries topics between processes; it neither simulates nor stores anything.

    Without an `Access`, it listens on this machine only. With an `Access`, other machines can reach
    it, and every process must show a certificate and a password.

    Args:
        host: The address to listen on; by default from `get_master_uri`.
        port: The port to listen on; by default from `get_master_uri`, and 0 for any free one.
        access: The users and their rights; None for processes on this machine only.

    Attributes:
        host: The address that it listens on.
        port: The port that it listens on.

    Raises:
        TransportError: The address is in use or not available, or other machines can reach it and
            `access` is None.
        NoAnswerError: zenoh has not begun to listen in time.

    >>> with Master("127.0.0.1", 0) as master:  # other processes connect until it is closed
    ...     master.host
    '127.0.0.1'
    """

    def __init__(
        self, host: str = "", port: int | None = None, *, access: Access | None = None
    ) -> None:
        own_host, own_port = get_master_uri()
        self.host, self.port = host or own_host, own_port if port is None else port
        if access is None and not is_loopback(self.host):
            raise TransportError(
                f"{self.host!r} is reached by other machines, which might command everything: "
                "give an access, with certificates and users"
            )
        self.port = self.port or _free_port(self.host)
        address = endpoint(self.host, self.port, tls=access is not None)
        try:
            with nullcontext() if access is None else access.settings() as found:
                config = settings("router", listen=[address], access=found)
                self._open(config, f"listen at {address}")
        except zenoh.ZError as error:
            raise TransportError(f"the master cannot listen at {address}: {error}") from None

    def close(self) -> None:
        """Ends the master; processes keep running, and connect to the next master there.

        Raises:
            NoAnswerError: zenoh has not ended it in time.
        """
        self._close(f"close the master at {self.host}:{self.port}")

    def __enter__(self) -> Master:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _free_port(host: str) -> int:
    with socket.create_server((host, 0)) as probe:
        return int(probe.getsockname()[1])
