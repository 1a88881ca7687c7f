# SPDX-License-Identifier: Apache-2.0
"""Statuses as they are sent to Groot2: the number of each node, and one byte for its status."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .description import Node

_IDLE, _RUNNING = 0, 1
_FINISHED = {"S": 2, "F": 3, "s": 2, "f": 3}
_FROM = 10  # added to the previous byte of a node that is idle again


class Statuses:
    """The status bytes of all nodes, updated at each step.

    BehaviorTree.CPP makes a node idle as soon as its parent has used its answer, and a monitor
    shows idle nodes pale: children of finished parents, of reactive nodes and of decorators. Nodes
    of this library keep their status, so this class derives from their parents which of them would
    be idle.

    Args:
        nodes: The nodes, in the order in which they are sent.
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        self._bytes = dict.fromkeys((node.uid for node in nodes), _IDLE)

    def update(self, states: str) -> list[tuple[int, int]]:
        """Updates the bytes from the letters of a snapshot; returns changed numbers and bytes."""
        changed = []
        for node in self._nodes:
            before = self._bytes[node.uid]
            now = self._byte(node, states, before)
            if now != before:
                self._bytes[node.uid] = now
                changed.append((node.uid, now))
        return changed

    def reset(self) -> None:
        """Makes all nodes idle, as before their first run."""
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
        # A skipped node stays as it was, but a parent whose children are skipped was running.
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
