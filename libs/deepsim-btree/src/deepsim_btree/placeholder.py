# SPDX-License-Identifier: Apache-2.0
"""AGENT: what a leaf of a tree for many agents is given instead of one particular agent."""

from __future__ import annotations

from typing import Any


class Placeholder:
    """Stands for something that is known later; there is one of each, also after copying."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name

    def __reduce__(self) -> str:
        return self._name  # copy and pickle understand this as the global of that name


# Any, to be accepted wherever an agent is.
AGENT: Any = Placeholder("AGENT")
"""Stands for the agent among the arguments of a leaf: ``drive(AGENT, speed=2.0)``.

In a `Template` it is the object that was given to `Template.spawn`, in a `batch.Batch` an array
with the numbers of the agents that the leaf is ticked for.
"""
