# SPDX-License-Identifier: Apache-2.0
"""What calls carry besides UDE's messages, as gRPC metadata; UDE's own clients lack all but TOKEN.

| name | sent by | meaning |
|---|---|---|
| `TOKEN` | clients | the secret that the server asks for; UDE's name |
| `VERSION` | both | the version of all below; without it the other side is UDE's own |
| `CLIENT` | clients | a random name, which is the client's right to its agents |
| `REQUEST` | clients | a number that grows with each call, and is the same in a retry of one |
| `SEED` | clients | with `reset`: the seed of the episode |
| `LEAVE` | clients | with `close`: leave the agents to others, close nothing |
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .errors import RefusedError

TOKEN = "rpc-auth-header"
VERSION = "deepsim-ude-version"
CLIENT = "deepsim-client"
REQUEST = "deepsim-request"
SEED = "deepsim-seed"
LEAVE = "deepsim-leave"

OUR_VERSION = "1"
_LONGEST_NAME = 64


class CallHeaders(NamedTuple):
    """What a client said besides its message."""

    client: str | None = None
    request: int | None = None
    seed: int | None = None
    leave: bool = False


def read_headers(metadata: Iterable[tuple[str, str | bytes]]) -> CallHeaders:
    """What the metadata of a call say.

    Raises:
        RefusedError: They are of another version, or make no sense.
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
    return CallHeaders(
        client, _natural(found, REQUEST), _natural(found, SEED), leave=LEAVE in found
    )


def _natural(found: dict[str, str], key: str) -> int | None:
    text = found.get(key)
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 20:
        raise RefusedError(f"{key} must be a natural number", 400)
    return int(text)
