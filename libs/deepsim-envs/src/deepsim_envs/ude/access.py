# SPDX-License-Identifier: Apache-2.0
"""Who may reach a server: loopback is free, everything else needs TLS and a token."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Iterable
from pathlib import Path

from .codec import Limits
from .errors import ServerStartError
from .headers import TOKEN

SHORTEST_TOKEN = 16


def is_loopback(host: str) -> bool:
    """Whether an address can only be reached from this machine; a name but localhost never is."""
    if host == "localhost" or host.startswith("unix:"):
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def target(host: str, port: int) -> str:
    """Host and port in one, as gRPC has them; a Unix socket has no port."""
    if host.startswith("unix:"):
        return host
    return f"[{host.strip('[]')}]:{port}" if ":" in host else f"{host}:{port}"


def require_safe(host: str, token: str | None, *, tls: bool) -> None:
    """Refuses an address that others can reach, unless they need a token over TLS.

    Raises:
        ServerStartError: It is unsafe.
        ValueError: The token is too short to be one.
    """
    if token is not None and len(token) < SHORTEST_TOKEN:
        raise ValueError(
            f"a token must have at least {SHORTEST_TOKEN} characters: "
            "secrets.token_urlsafe(32) makes one"
        )
    if not is_loopback(host) and not (tls and token is not None):
        raise ServerStartError(
            f"{host} can be reached from other machines, so it needs TLS and a token: give "
            "certificate, private_key and token, or serve on 127.0.0.1"
        )


def has_token(metadata: Iterable[tuple[str, str | bytes]], token: str) -> bool:
    """Whether one of the metadata is the token; takes equally long whatever was guessed."""
    expected = token.encode()
    found = False
    for key, value in metadata:
        if key == TOKEN:
            given = value if isinstance(value, bytes) else value.encode()
            found |= hmac.compare_digest(given, expected)
    return found


def channel_options(limits: Limits) -> tuple[tuple[str, int], ...]:
    """Limits of messages in gRPC's words, with some room for what surrounds a payload."""
    most = limits.message_bytes + 1024
    return ("grpc.max_receive_message_length", most), ("grpc.max_send_message_length", most)


def contents(source: bytes | str | Path) -> bytes:
    """The bytes given, or those of the file that is named."""
    return source if isinstance(source, bytes) else Path(source).read_bytes()
