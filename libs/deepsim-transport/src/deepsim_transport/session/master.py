# SPDX-License-Identifier: Apache-2.0
"""The master: where processes find each other's topics."""

from __future__ import annotations

import ipaddress
import os
from types import TracebackType
from urllib.parse import urlsplit

import zenoh

from deepsim_transport.errors import TransportError

from .settings import settings

PORT = 11345
"""The port of Gazebo's master."""
VARIABLE = "GAZEBO_MASTER_URI"
"""Names the master, such as ``http://localhost:11345``."""


def get_master_uri() -> tuple[str, int]:
    """Returns host and port of the master, from the environment's ``GAZEBO_MASTER_URI``.

    Raises:
        TransportError: The variable has no host and port.
    """
    given = os.environ.get(VARIABLE) or f"http://127.0.0.1:{PORT}"
    try:
        parts = urlsplit(given if "//" in given else f"//{given}")
        host, port = parts.hostname, parts.port or PORT
    except ValueError as error:
        raise TransportError(f"{VARIABLE} is {given!r}: {error}") from error
    if not host:
        raise TransportError(f"{VARIABLE} must be like http://localhost:{PORT}, got {given!r}")
    return ("127.0.0.1" if host == "localhost" else host), port


def endpoint(host: str, port: int) -> str:
    """Returns an address as zenoh writes it."""
    return f"tcp/[{host}]:{port}" if ":" in host else f"tcp/{host}:{port}"


class Master:
    """Carries topics between processes. It simulates nothing, and keeps nothing.

    It listens on this machine alone. Other machines can be let in by `public`; whoever reaches the
    port may then read and command everything.

    Args:
        host: The address to listen at; by default that of `get_master_uri`.
        port: The same.
        public: Whether `host` may be an address that other machines reach.

    Raises:
        TransportError: The address is taken or cannot be had, or is reached by others and
            `public` is not given.
    """

    def __init__(self, host: str = "", port: int = 0, *, public: bool = False) -> None:
        own_host, own_port = get_master_uri()
        self.host, self.port = host or own_host, port or own_port
        if not public and not _is_loopback(self.host):
            raise TransportError(
                f"{self.host!r} is reached by other machines, which may command everything: "
                "give public=True to allow that"
            )
        address = endpoint(self.host, self.port)
        try:
            self._session = zenoh.open(settings("router", listen=[address]))
        except zenoh.ZError as error:
            raise TransportError(f"the master cannot listen at {address}: {error}") from None

    def close(self) -> None:
        """Ends it; processes that are connected go on, and connect to the next one."""
        self._session.close()  # type: ignore[no-untyped-call]

    def __enter__(self) -> Master:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
