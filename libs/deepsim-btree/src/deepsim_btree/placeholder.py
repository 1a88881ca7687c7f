# SPDX-License-Identifier: Apache-2.0
"""AGENT, the placeholder for the agent in a tree that is written once for many agents."""

from __future__ import annotations

from typing import Any


class Placeholder:
    """An object that stands for a value known later; copies of it are the same object."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name

    def __reduce__(self) -> str:
        return self._name  # copy and pickle take this as the name of a global


# Of type Any, so that type checkers accept it for any kind of agent.
AGENT: Any = Placeholder("AGENT")
"""Stands for the agent among the arguments of a leaf: ``drive(AGENT, speed=2.0)``.

A `Template` replaces it with the object given to `Template.spawn`; a `batch.Batch` replaces it with
an array of the numbers of the agents for which it ticks the leaf.
"""
