# SPDX-License-Identifier: Apache-2.0
"""Statuses and values as they are sent to Groot2."""

from __future__ import annotations

import struct
from contextlib import suppress
from typing import TYPE_CHECKING, Any

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


def packed(value: Any) -> bytes:
    """Packs a value like BehaviorTree.CPP, in the shortest form and with sorted keys of maps.

    Args:
        value: None, a bool, int, float or str, or a list, tuple or dict of these, with str keys.

    Raises:
        TypeError: A value has a different type.
        ValueError: An int has more than 64 bits.
    """
    if value is None or value is True or value is False:
        return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value]
    if isinstance(value, int):
        return _int(value)
    if isinstance(value, float):
        with suppress(OverflowError):
            short = struct.pack(">f", value)
            if struct.unpack(">f", short)[0] == value:
                return b"\xca" + short
        return b"\xcb" + struct.pack(">d", value)
    if isinstance(value, str):
        data = value.encode("utf-8", "replace")
        return _head(len(data), 0xA0, 32, b"\xd9\xda\xdb") + data
    if isinstance(value, (list, tuple)):
        return _head(len(value), 0x90, 16, b"\x00\xdc\xdd") + b"".join(map(packed, value))
    if isinstance(value, dict):
        return packed_map({name: packed(its) for name, its in value.items()})
    raise TypeError(f"a {type(value).__name__} cannot be packed")


def packed_map(values: dict[str, bytes]) -> bytes:
    """Returns a packed map of packed values, ordered by name."""
    pairs = (packed(name) + values[name] for name in sorted(values))
    return _head(len(values), 0x80, 16, b"\x00\xde\xdf") + b"".join(pairs)


def _head(length: int, short: int, limit: int, codes: bytes) -> bytes:
    if length < limit:
        return bytes([short | length])
    if length < 256 and codes[0]:
        return bytes([codes[0], length])
    if length < 65536:
        return codes[1:2] + struct.pack(">H", length)
    return codes[2:3] + struct.pack(">I", length)


def _int(value: int) -> bytes:
    if -32 <= value < 128:
        return struct.pack(">b" if value < 0 else ">B", value)
    formats = "BHIQ" if value >= 0 else "bhiq"
    first = 0xCC if value >= 0 else 0xD0
    for place, letter in enumerate(formats):
        with suppress(struct.error):
            return bytes([first + place]) + struct.pack(f">{letter}", value)
    raise ValueError(f"{value} has more than 64 bits")
