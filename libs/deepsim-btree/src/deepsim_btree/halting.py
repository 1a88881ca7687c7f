# SPDX-License-Identifier: Apache-2.0
"""Halts whole branches, even after a tick that an error interrupted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .status import INVALID, RUNNING

if TYPE_CHECKING:
    from .behaviour import Behaviour
    from .errors import TickError


def halt_all(root: Behaviour) -> tuple[TickError, ...]:
    """Terminates every node that is RUNNING, children first, and returns their errors.

    `Behaviour.halt` only descends from nodes that are RUNNING. After an interrupted tick this does
    not suffice, because the status of a parent is stored only when it returns.
    """
    errors = []
    for node in _children_first(root):
        if node.status is RUNNING:
            node.status = INVALID
            try:
                node.terminate(INVALID)
            except Exception as error:
                tick_error = node._failed(error)
                tick_error.__cause__ = error
                errors.append(tick_error)
    return tuple(errors)


def _children_first(root: Behaviour) -> list[Behaviour]:
    """Returns all nodes in the order in which `Behaviour.halt` terminates them."""
    nodes = []
    stack = [root]
    while stack:
        node = stack.pop()
        nodes.append(node)
        stack.extend(node.children)
    nodes.reverse()
    return nodes
