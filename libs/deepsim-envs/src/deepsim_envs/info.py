# SPDX-License-Identifier: Apache-2.0
"""The part of an environment's info that belongs to one agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .environment.slots import entry_of


def own_info(info: Mapping[str, Any], agents: Sequence[str], agent: str) -> dict[str, Any]:
    """Returns the shared entries and the agent's own.

    Entries under an agent's name are that agent's own, if they are dicts.
    """
    own = info.get(agent)
    shared = {
        key: value
        for key, value in info.items()
        if not (key in agents and isinstance(value, Mapping))
    }
    return {**shared, **own} if isinstance(own, Mapping) else shared


def entries_of(values: Mapping[str, Any], world: int) -> dict[str, Any]:
    """Returns copies of the entries of one world."""
    return {key: entry_of(value, world) for key, value in values.items()}
