# SPDX-License-Identifier: Apache-2.0
"""Settings of zenoh: connections to given addresses only, without discovery."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import zenoh

LEASE = 2000
"""A peer that does not respond is dropped after this time [ms]."""
LARGEST = 64 << 20
"""Size of the largest accepted message [bytes]."""
CONNECT = 2000
"""Longest time to try to connect [ms]."""


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
