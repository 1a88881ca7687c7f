# SPDX-License-Identifier: Apache-2.0
"""Access to a server: addresses, tokens, and the metadata of calls.

Loopback addresses need no protection; any other address needs TLS and a token. Calls carry gRPC
metadata in addition to UDE's messages. The clients of the package ``ude`` only send the token:

| name | sent by | meaning |
|---|---|---|
| `TOKEN` | clients | the secret that the server asks for, under the name that ``ude`` uses |
| `VERSION` | both | the version of the metadata below; the package ``ude`` does not send it |
| `CLIENT` | clients | a random secret that identifies the client, which owns its agents |
| `REQUEST` | clients | the number of the request; it grows, but a retry repeats it |
| `SEED` | clients | with `reset`: the seed of the episode |
| `LEAVE` | clients | with `close`: give up the client's agents, but close nothing |
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from deepsim_sync import access

from .codec import Limits
from .errors import RefusedError, ServerStartError

TOKEN = "rpc-auth-header"
VERSION = "deepsim-ude-version"
CLIENT = "deepsim-client"
REQUEST = "deepsim-request"
SEED = "deepsim-seed"
LEAVE = "deepsim-leave"

OUR_VERSION = "1"
SHORTEST_TOKEN = 16
_LONGEST_NAME = 64


def is_loopback(host: str) -> bool:
    """Returns whether only this machine can reach an address or Unix socket."""
    return host.startswith("unix:") or access.is_loopback(host)


def target(host: str, port: int) -> str:
    """Returns gRPC's target string for a host and port; a Unix socket has no port."""
    if host.startswith("unix:"):
        return host
    return f"[{host.strip('[]')}]:{port}" if ":" in host else f"{host}:{port}"


def require_safe(host: str, token: str | None, *, tls: bool) -> None:
    """Checks that only this machine can reach an address, or that it needs TLS and a token.

    Raises:
        ServerStartError: The address is unsafe.
        ValueError: The token is too short.
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
    """Returns whether metadata hold the token; the comparison takes constant time."""
    found = False
    for key, value in metadata:
        if key == TOKEN:
            found |= access.is_token(value, token)
    return found


def channel_options(limits: Limits) -> tuple[tuple[str, int], ...]:
    """Returns gRPC's limits of the message size, with room for the fields around a payload."""
    most = limits.message_bytes + 1024
    return ("grpc.max_receive_message_length", most), ("grpc.max_send_message_length", most)


def contents(source: bytes | str | Path) -> bytes:
    """Returns the given bytes, or the contents of the named file."""
    return source if isinstance(source, bytes) else Path(source).read_bytes()


class CallHeaders(NamedTuple):
    """The metadata of a call."""

    client: str | None = None
    request: int | None = None
    seed: int | None = None
    leave: bool = False


def read_headers(metadata: Iterable[tuple[str, str | bytes]]) -> CallHeaders:
    """Reads the metadata of a call.

    Raises:
        RefusedError: The metadata are malformed, or have a different version.
    """
    found = {key: value for key, value in metadata if isinstance(value, str)}
    version = found.get(VERSION)
    if version is None:
        return CallHeaders()
    if version != OUR_VERSION:
        raise RefusedError(f"this server speaks version {OUR_VERSION}, not {version!r}", 426)
    client = found.get(CLIENT)
    if not client or len(client) > _LONGEST_NAME:
        raise RefusedError(f"{CLIENT} must have 1 to {_LONGEST_NAME} characters", 400)
    request, seed = (_natural(found, key) for key in (REQUEST, SEED))
    return CallHeaders(client, request, seed, leave=LEAVE in found)


def _natural(found: dict[str, str], key: str) -> int | None:
    text = found.get(key)
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 20:
        raise RefusedError(f"{key} must be a natural number", 400)
    return int(text)
