# SPDX-License-Identifier: Apache-2.0
"""Lists the topics that a master knows, and the sessions that take part in each."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

_KINDS = ("publisher", "subscriber", "queryable")


class Topic(NamedTuple):
    """The names of the sessions that take part in a topic, in alphabetical order.

    >>> Topic(publishers=("physics",), subscribers=("viewer", "wall")).answering
    ()
    """

    publishers: tuple[str, ...] = ()
    subscribers: tuple[str, ...] = ()
    answering: tuple[str, ...] = ()
    """The sessions that answer requests or commands on the topic."""


def topics_of(session: Any, pattern: str, timeout: float) -> dict[str, Topic]:
    """Returns the topics that match a pattern, by name, as the master lists them.

    Args:
        session: A zenoh session with the master.
        pattern: A key expression of zenoh, such as ``gazebo/lab/**``.
        timeout: Longest time to wait for the master's answer [s].
    """
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for reply in session.get(f"@/*/router/*/{pattern}", timeout=timeout):
        if reply.ok is None:
            continue
        _, _, _, kind, name = str(reply.ok.key_expr).split("/", 4)
        if kind in _KINDS:
            clients = json.loads(reply.ok.payload.to_bytes())["clients"]
            found.setdefault(name, {})[kind] = tuple(sorted(clients))
    return {
        name: Topic(*(sessions.get(kind, ()) for kind in _KINDS))
        for name, sessions in sorted(found.items())
    }
