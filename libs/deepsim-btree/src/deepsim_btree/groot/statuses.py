# SPDX-License-Identifier: Apache-2.0
"""Statuses as Groot2 gets them: a number for each node, and one byte for how it stands."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .description import Node

_IDLE, _RUNNING = 0, 1
_FINISHED = {"S": 2, "F": 3, "s": 2, "f": 3}
_FROM = 10  # of a node that is idle again: what it was before that, plus this


class Statuses:
    """The bytes of all nodes, brought up to date with each step.

    BehaviorTree.CPP makes a node idle as soon as its parent is done with it, and a monitor shows
    such a node pale: children of a finished parent, of a reactive one, and of a decorator. Here
    nodes keep their status, so which of them would be idle follows from their parents.

    Args:
        nodes: The nodes, in the order in which they are sent.
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        self._bytes = dict.fromkeys((node.uid for node in nodes), _IDLE)

    def update(self, states: str) -> list[tuple[int, int]]:
        """Takes the letters of a snapshot; returns the numbers and new bytes that changed."""
        changed = []
        for node in self._nodes:
            before = self._bytes[node.uid]
            now = self._byte(node, states, before)
            if now != before:
                self._bytes[node.uid] = now
                changed.append((node.uid, now))
        return changed

    def reset(self) -> None:
        """Makes all nodes as if they had never run."""
        self._bytes = dict.fromkeys(self._bytes, _IDLE)

    def packed(self) -> bytes:
        """Returns three bytes for each node: its number, low byte first, and its status."""
        pairs = self._bytes
        return b"".join(
            struct.pack("<HB", node.uid & 0xFFFF, pairs[node.uid]) for node in self._nodes
        )

    def _byte(self, node: Node, states: str, before: int) -> int:
        letter = states[node.position]
        if letter == "R":
            return _RUNNING
        # What is skipped itself stays as it was; a parent that asked others was running.
        has_asked = letter == "K" and any(states[child.position] == "K" for child in node.children)
        if letter == "I" or has_asked:
            return _FROM + _RUNNING
        if letter not in _FINISHED:  # never run, halted earlier, or skipped
            return before + _FROM if 0 < before < _FROM else before
        status = _FINISHED[letter]
        parent = node.parent
        is_kept = parent is not None and parent.keeps and states[parent.position] == "R"
        is_new = letter.isupper() or before == status
        return status if is_kept and is_new else status + _FROM
